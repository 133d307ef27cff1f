package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a process of {@code lock} makes of its environment, its system properties, its folder and its standard output. */
class ConfigIT extends Runs {

    @Override
    String store() {
        return ConfigTest.UNREACHABLE;
    }

    @Test
    void environmentAndSystemPropertiesOverrideTheFileThatTheEnvironmentNames() throws Exception {
        ProcessBuilder asking = Launched.option(bare("config", "--json"), "-Dlock.handoff=4");
        asking.environment().put("LOCK_CONFIG", config.toString());
        asking.environment().put("LOCK_LEASE", "1m");

        Launched asked = start(asking);

        assertThat(asked.status()).as(asked.err()).isZero();
        assertThat(asked.err()).isEmpty();
        JsonObject json = JsonParser.parseString(asked.out()).getAsJsonObject();
        assertThat(json.get("file").getAsString()).isEqualTo(config.toString());
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("LOCK_CONFIG");
        assertThat(ConfigTest.setting(json, "lock.lease")).isEqualTo("1m from environment LOCK_LEASE");
        assertThat(ConfigTest.setting(json, "lock.handoff")).isEqualTo("4 from system property");
        assertThat(ConfigTest.setting(json, "lock.wait")).isEqualTo("5m from file " + config);
    }

    @Test
    void theFileInTheWorkingDirectoryIsFoundAndAskingMakesNothing() throws Exception {
        Files.writeString(folder.resolve("lock.properties"), ConfigTest.UNREACHABLE);

        Launched asked = start(bare("config"));

        assertThat(asked.status()).as(asked.err()).isZero();
        assertThat(asked.err()).isEmpty();
        assertThat(asked.out()).startsWith(folder.resolve("lock.properties") + ": it is in the working directory\n");
        assertThat(folder.resolve(".holdfast")).doesNotExist();
    }

    @Test
    void theEnvironmentAloneDescribesAStoreWhereThereIsNoFile() throws Exception {
        ProcessBuilder asking = bare("config", "--json");
        asking.environment().put("LOCK_PROVIDER", "jdbc");
        asking.environment().put("LOCK_JDBC_URL", "jdbc:sqlite:" + folder.resolve("sqlite.db"));

        Launched asked = start(asking);

        assertThat(asked.status()).as(asked.err()).isZero();
        assertThat(asked.err()).isEmpty();
        JsonObject json = JsonParser.parseString(asked.out()).getAsJsonObject();
        assertThat(json.get("file").isJsonNull()).isTrue();
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("environment");
        assertThat(folder.resolve("sqlite.db")).doesNotExist();
    }

    @Test
    void aUserWithoutAHomeHasNoLocalStore() throws Exception {
        Launched run = start(Launched.option(bare("run", "--local", "a", "--", "echo"), "-Duser.home=?"));

        assertThat(run.status()).isEqualTo(78);
        assertThat(run.err())
                .startsWith("lock: ")
                .contains("no home directory: give --config FILE")
                .hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void whatCannotBeWrittenIs74() throws Exception {
        ProcessBuilder words = lock("config", "--json");
        words.command().addAll(0, List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));

        Launched full = start(words);

        assertThat(full.status()).as(full.err()).isEqualTo(74);
        assertThat(full.err()).contains("lock: cannot read or write: ");
    }
}
