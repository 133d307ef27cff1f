package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock config}: what holds, from where, and which file was chosen. No store is there to be asked. */
class ConfigTest extends Runs {

    static final String UNREACHABLE = """
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
    void eachSettingHasItsOriginAndNoSecretIsShown() {
        Asked asked = asked("config", "--json");

        assertThat(asked.status()).as(asked.said()).isZero();
        assertThat(asked.said()).isEmpty();
        JsonObject json = JsonParser.parseString(asked.data()).getAsJsonObject();
        assertThat(json.keySet()).containsExactly("file", "chosenBy", "settings");
        assertThat(json.get("file").getAsString()).isEqualTo(config.toString());
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("--config");
        assertThat(setting(json, "lock.wait")).isEqualTo("5m from file " + config);
        assertThat(setting(json, "lock.namespace")).isEqualTo("default from default");
        assertThat(setting(json, "lock.jdbc.password")).isEqualTo("**** from file " + config);
        assertThat(setting(json, "lock.jdbc.url"))
                .isEqualTo("jdbc:postgresql://127.0.0.1:1/none?password=**** from file " + config);
        assertThat(asked.data()).doesNotContain("hidden");
    }

    @Test
    void forPeopleThereAreColumnsWithoutSecrets() {
        Asked asked = asked("config");

        assertThat(asked.status()).as(asked.said()).isZero();
        List<String> lines = asked.data().lines().toList();
        assertThat(lines.get(0)).isEqualTo(config + ": --config names it");
        assertThat(lines.get(2)).matches("KEY +VALUE +ORIGIN");
        assertThat(lines).anyMatch(line -> line.matches("lock\\.jdbc\\.password +\\*\\*\\*\\* +file .*"));
        assertThat(lines).anyMatch(line -> line.matches("lock\\.lease +30s +default"));
        assertThat(asked.data()).doesNotContain("hidden");
    }

    @Test
    void theLocalStoreHasNoFile() {
        Asked page = Asked.alone("config", "--local");
        JsonObject json = JsonParser.parseString(
                        Asked.alone("config", "--local", "--json").data())
                .getAsJsonObject();

        assertThat(page.status()).isZero();
        assertThat(page.data())
                .startsWith("no file: --local asks for the local store")
                .contains("lock.db");
        assertThat(json.get("file").isJsonNull()).isTrue();
        assertThat(json.get("chosenBy").getAsString()).isEqualTo("--local");
    }

    @Test
    void aWrongConfigurationIs78() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.properties"), "lock.provider=jdbc\nlock.laese=3s\n");

        Asked asked = Asked.alone("config", "--json", "--config", wrong.toString());

        assertThat(asked.status()).isEqualTo(78);
        assertThat(asked.said())
                .startsWith("lock: ")
                .contains("did you mean lock.lease")
                .hasLineCount(1);
        assertThat(asked.data()).isEmpty();
    }

    /** A setting as value and origin. */
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
