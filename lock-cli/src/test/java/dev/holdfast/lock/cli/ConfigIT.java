package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a process of {@code lock} uses its environment, system properties, working directory and standard output. */
@Tag("first-build")
class ConfigIT extends CliTestBase {

    @Override
    String store() {
        return ConfigTest.UNREACHABLE;
    }

    @Test
    void config_whenEnvironmentAndSystemPropertiesSet_overrideFile() throws Exception {
        ProcessBuilder invocation =
                CliProcess.option(processWithoutConfig("config", "--json"), "-Dlock.max-local-handoffs=4");
        invocation.environment().put("LOCK_CONFIG", config.toString());
        invocation.environment().put("LOCK_LEASE", "1m");

        CliProcess result = start(invocation);

        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        assertThat(result.stderr()).isEmpty();
        JsonObject json = JsonParser.parseString(result.stdout()).getAsJsonObject();
        assertThat(json.get("file").getAsString()).isEqualTo(config.toString());
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("LOCK_CONFIG");
        assertThat(ConfigTest.setting(json, "lock.lease")).isEqualTo("1m from environment LOCK_LEASE");
        assertThat(ConfigTest.setting(json, "lock.max-local-handoffs")).isEqualTo("4 from system property");
        assertThat(ConfigTest.setting(json, "lock.acquire-timeout")).isEqualTo("5m from file " + config + ", line 4");
    }

    @Test
    void config_whenFileInWorkingDirectory_usesItAndCreatesNothing() throws Exception {
        Files.writeString(folder.resolve("lock.properties"), ConfigTest.UNREACHABLE);

        CliProcess result = start(processWithoutConfig("config"));

        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        assertThat(result.stderr()).isEmpty();
        assertThat(result.stdout())
                .startsWith(folder.resolve("lock.properties") + ": found in the working directory\n");
        assertThat(folder.resolve(".holdfast")).doesNotExist();
    }

    @Test
    void config_whenOnlyEnvironmentNamesStore_usesItAndCreatesNothing() throws Exception {
        ProcessBuilder invocation = processWithoutConfig("config", "--json");
        invocation.environment().put("LOCK_PROVIDER", "jdbc");
        invocation.environment().put("LOCK_JDBC_URL", "jdbc:sqlite:" + folder.resolve("sqlite.db"));

        CliProcess result = start(invocation);

        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        assertThat(result.stderr()).isEmpty();
        JsonObject json = JsonParser.parseString(result.stdout()).getAsJsonObject();
        assertThat(json.get("file").isJsonNull()).isTrue();
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("environment");
        assertThat(folder.resolve("sqlite.db")).doesNotExist();
    }

    @Test
    void run_whenUserHasNoHome_exitsWith78() throws Exception {
        CliProcess run =
                start(CliProcess.option(processWithoutConfig("run", "--local", "a", "--", "echo"), "-Duser.home=?"));

        assertThat(run.exitStatus()).isEqualTo(78);
        assertThat(run.stderr())
                .startsWith("lock: ")
                .contains("no home directory: give --config FILE")
                .hasLineCount(1);
        assertThat(run.stdout()).isEmpty();
    }

    @Test
    void config_whenOutputCannotBeWritten_exitsWith74() throws Exception {
        ProcessBuilder words = process("config", "--json");
        words.command().addAll(0, List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));

        CliProcess full = start(words);

        assertThat(full.exitStatus()).as(full.stderr()).isEqualTo(74);
        assertThat(full.stderr()).contains("lock: cannot write the output or read the answer: ");
    }

    /** As of head, which has seen enough. */
    @Test
    void config_whenReaderOfOutputHasEnded_endsQuietlyWith141() throws Exception {
        Path go = folder.resolve("go");
        Path messages = folder.resolve("messages");
        ProcessBuilder words = process("config");
        words.command()
                .addAll(
                        0,
                        List.of("sh", "-c", "while [ ! -e \"$0\" ]; do sleep 0.05; done; exec \"$@\"", go.toString()));
        Process process = words.redirectError(messages.toFile()).start();

        process.getInputStream().close();
        Files.createFile(go);

        assertThat(process.waitFor()).isEqualTo(141);
        assertThat(messages).isEmptyFile();
    }
}
