package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock config}: effective settings, their origin, and the selected file. The configured store does not exist. */
class ConfigTest extends CliTestBase {

    static final String UNREACHABLE = """
            lock.provider=jdbc
            lock.jdbc.url=jdbc:postgresql://127.0.0.1:1/none?password=hidden1
            lock.jdbc.password=hidden2
            lock.acquire-timeout=5m
            """;

    @Override
    String store() {
        return UNREACHABLE;
    }

    @Test
    void configJson_always_containsOriginsAndNoSecrets() {
        CliInvocation result = invoke("config", "--json");

        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        assertThat(result.stderr()).isEmpty();
        JsonObject json = result.json();
        assertThat(json.keySet()).containsExactly("file", "chosenBy", "settings");
        assertThat(json.get("file").getAsString()).isEqualTo(config.toString());
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("--config");
        assertThat(setting(json, "lock.acquire-timeout")).isEqualTo("5m from file " + config + ", line 4");
        assertThat(setting(json, "lock.namespace")).isEqualTo("default from default");
        assertThat(setting(json, "lock.jdbc.password")).isEqualTo("**** from file " + config + ", line 3");
        assertThat(setting(json, "lock.jdbc.url"))
                .isEqualTo("jdbc:postgresql://127.0.0.1:1/none?password=**** from file " + config + ", line 2");
        assertThat(result.stdout()).doesNotContain("hidden");
    }

    @Test
    void config_always_showsColumnsWithoutSecrets() {
        CliInvocation result = invoke("config");

        assertThat(result.exitStatus()).as(result.stderr()).isZero();
        List<String> lines = result.stdout().lines().toList();
        assertThat(lines.get(0)).isEqualTo(config + ": named by --config");
        assertThat(lines.get(2)).matches("KEY +VALUE +ORIGIN");
        assertThat(lines).anyMatch(line -> line.matches("lock\\.jdbc\\.password +\\*\\*\\*\\* +file .*"));
        assertThat(lines).anyMatch(line -> line.matches("lock\\.lease +30s +default"));
        assertThat(result.stdout()).doesNotContain("hidden");
    }

    @Test
    void config_whenLocalStore_hasNoFile() {
        CliInvocation page = CliInvocation.nonInteractive("config", "--local");
        JsonObject json =
                CliInvocation.nonInteractive("config", "--local", "--json").json();

        assertThat(page.exitStatus()).isZero();
        assertThat(page.stdout())
                .startsWith("no file: --local selects the local store")
                .contains("lock.db");
        assertThat(json.get("file").isJsonNull()).isTrue();
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("--local");
    }

    @Test
    void config_whenKeyMisspelt_exitsWith78AndSuggestsKey() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.properties"), "lock.provider=jdbc\nlock.laese=3s\n");

        CliInvocation result = CliInvocation.nonInteractive("config", "--json", "--config", wrong.toString());

        assertThat(result.exitStatus()).isEqualTo(78);
        assertThat(result.stderr())
                .startsWith("lock: ")
                .contains("did you mean lock.lease")
                .hasLineCount(1);
        assertThat(result.stdout()).isEmpty();
    }

    /** A setting's value and origin. */
    static String setting(JsonObject json, String key) {
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
