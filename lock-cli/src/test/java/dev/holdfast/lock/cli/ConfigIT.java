package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock config}: what holds, from where, and which file was chosen. No store is there to be asked. */
class ConfigIT extends Runs {

    private static final String UNREACHABLE = """
            lock.provider=jdbc
            lock.jdbc.url=jdbc:postgresql://127.0.0.1:1/none?password=hidden1
            lock.jdbc.password=hidden2
            lock.wait=5m
            """;

    @Override
    String store() {
        return UNREACHABLE;
    }

    @Test
    void eachSettingHasItsOrigin() throws Exception {
        ProcessBuilder asking = Launched.option(lock("config", "--json"), "-Dlock.handoff=4");
        asking.environment().put("LOCK_LEASE", "1m");

        Launched asked = start(asking);

        assertThat(asked.status()).as(asked.err()).isZero();
        assertThat(asked.err()).isEmpty();
        JsonObject json = JsonParser.parseString(asked.out()).getAsJsonObject();
        assertThat(json.keySet()).containsExactly("file", "chosenBy", "settings");
        assertThat(json.get("file").getAsString()).isEqualTo(config.toString());
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("--config");
        assertThat(setting(json, "lock.lease")).isEqualTo("1m from environment LOCK_LEASE");
        assertThat(setting(json, "lock.handoff")).isEqualTo("4 from system property");
        assertThat(setting(json, "lock.wait")).isEqualTo("5m from file " + config);
        assertThat(setting(json, "lock.namespace")).isEqualTo("default from default");
        assertThat(setting(json, "lock.jdbc.password")).isEqualTo("**** from file " + config);
        assertThat(setting(json, "lock.jdbc.url"))
                .isEqualTo("jdbc:postgresql://127.0.0.1:1/none?password=**** from file " + config);
        assertThat(asked.out()).doesNotContain("hidden");
    }

    @Test
    void forPeopleInColumnsWithoutSecrets() throws Exception {
        Launched asked = asked("config");

        assertThat(asked.status()).as(asked.err()).isZero();
        List<String> lines = asked.out().lines().toList();
        assertThat(lines.get(0)).isEqualTo(config + ": --config names it");
        assertThat(lines.get(2)).matches("KEY +VALUE +ORIGIN");
        assertThat(lines).anyMatch(line -> line.matches("lock\\.jdbc\\.password +\\*\\*\\*\\* +file .*"));
        assertThat(lines).anyMatch(line -> line.matches("lock\\.lease +30s +default"));
        assertThat(asked.out()).doesNotContain("hidden");
    }

    @Test
    void whyItIsThisFileOrNone() throws Exception {
        ProcessBuilder byVariable = bare("--json");
        byVariable.environment().put("LOCK_CONFIG", config.toString());
        assertThat(chosen(byVariable)).isEqualTo("LOCK_CONFIG");

        ProcessBuilder byEnvironment = bare("--json");
        byEnvironment.environment().put("LOCK_PROVIDER", "jdbc");
        byEnvironment.environment().put("LOCK_JDBC_URL", "jdbc:sqlite:" + folder.resolve("sqlite.db"));
        assertThat(chosen(byEnvironment)).isEqualTo("environment");

        ProcessBuilder byProperty = Launched.option(bare("--json"), "-Dlock.provider=redis");
        Launched.option(byProperty, "-Dlock.redis.uri=redis://127.0.0.1:1");
        Launched byPropertyAlone = start(byProperty);
        assertThat(byPropertyAlone.status()).as(byPropertyAlone.err()).isZero();
        assertThat(byPropertyAlone.err()).isEmpty();
        assertThat(byPropertyAlone.out()).contains("\"chosenBy\": \"environment\"", "redis://127.0.0.1:1");

        assertThat(chosen(bare("--json", "--local"))).isEqualTo("--local");
        Launched local = start(bare());
        assertThat(local.status()).isZero();
        assertThat(local.out()).startsWith("no file: none was found").contains("lock.db");
        assertThat(local.err()).contains("no lock.properties found").hasLineCount(1);

        Files.writeString(folder.resolve("lock.properties"), UNREACHABLE);
        assertThat(chosen(bare("--json"))).isEqualTo("working-directory");
        assertThat(folder.resolve(".holdfast")).doesNotExist();
        assertThat(folder.resolve("sqlite.db")).doesNotExist();
    }

    @Test
    void aWrongConfigurationIs78() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.properties"), "lock.provider=jdbc\nlock.laese=3s\n");

        Launched asked = start(Launched.lock(folder, List.of("config", "--json", "--config", wrong.toString())));

        assertThat(asked.status()).isEqualTo(78);
        assertThat(asked.err())
                .startsWith("lock: ")
                .contains("did you mean lock.lease")
                .hasLineCount(1);
        assertThat(asked.out()).isEmpty();
    }

    /** Without any option that says which. */
    private ProcessBuilder bare(String... arguments) throws IOException {
        ProcessBuilder asking = lock("config", arguments);
        int option = asking.command().indexOf("--config");
        asking.command().subList(option, option + 2).clear();
        return asking;
    }

    private String chosen(ProcessBuilder asking) throws Exception {
        Launched asked = start(asking);
        assertThat(asked.status()).as(asked.err()).isZero();
        return JsonParser.parseString(asked.out())
                .getAsJsonObject()
                .get("chosenBy")
                .getAsString();
    }

    private static String setting(JsonObject json, String key) {
        for (JsonElement element : json.getAsJsonArray("settings")) {
            JsonObject setting = element.getAsJsonObject();
            if (setting.get("key").getAsString().equals(key)) {
                return setting.get("value").getAsString() + " from "
                        + setting.get("origin").getAsString();
            }
        }
        throw new AssertionError("no setting " + key);
    }
}
