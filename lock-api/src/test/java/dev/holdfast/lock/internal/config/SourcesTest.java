package dev.holdfast.lock.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.spi.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcesTest {

    private static final Keys KEYS = new Keys(List.of(
            ConfigKey.required("lock.jdbc.url"),
            ConfigKey.secret("lock.jdbc.password"),
            ConfigKey.optional("lock.jdbc.pool-size", "8")));

    @TempDir
    Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private final Properties system = new Properties();

    @Test
    void key_setInSeveralSources_isTakenFromEnvironmentThenSystemPropertyThenFile() throws IOException {
        write("lock.provider=file\nlock.lease=10s\nlock.acquire-timeout=1s");
        system.setProperty("lock.provider", "system");
        system.setProperty("lock.lease", "20s");
        environment.put("LOCK_PROVIDER", "environment");

        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.provider()).isEqualTo("environment");
        assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(20));
        assertThat(settings.acquireTimeout()).contains(Duration.ofSeconds(1));
    }

    @Test
    void resolvedProperties_areTakenAsTheyAre() {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", "10s");
        properties.setProperty("lock.jdbc.password", "${user.home}");
        String before = System.setProperty("lock.lease", "20s");
        try {
            Settings settings = Sources.resolved(properties, "test", KEYS);

            assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.required("lock.jdbc.password")).isEqualTo("${user.home}");
        } finally {
            if (before == null) {
                System.clearProperty("lock.lease");
            } else {
                System.setProperty("lock.lease", before);
            }
        }
    }

    @Test
    void placeholder_ofASetVariable_isReplacedOnce() throws IOException {
        write("lock.provider=jdbc\nlock.jdbc.url=jdbc:${KIND}://${HOST}/x\nlock.jdbc.password=${PASSWORD}");
        environment.putAll(Map.of("KIND", "postgresql", "HOST", "db", "PASSWORD", "a${KIND}$1\\"));

        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.required("lock.jdbc.url")).isEqualTo("jdbc:postgresql://db/x");
        assertThat(settings.required("lock.jdbc.password")).isEqualTo("a${KIND}$1\\");
    }

    @Test
    void placeholder_ofAnUnsetVariable_throwsAndNamesKeyAndVariable() throws IOException {
        write("lock.provider=jdbc\nlock.jdbc.password=${SECRET}");
        refuses("lock.jdbc.password", "SECRET", "not set");
    }

    /** Java puts U+FFFD in place of bytes that are not text in its locale: two values would be the same. */
    @Test
    void value_thatIsNotTextInTheLocale_throwsAndNamesItsOrigin() throws IOException {
        write("lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:${FILE}");
        environment.put("FILE", "/srv/\uFFFD\uFFFD.db");
        refuses("lock.jdbc.url", "lock.properties", "not text in its locale", "LC_ALL=C.UTF-8");

        environment.put("FILE", "/srv/locks.db");
        environment.put("LOCK_JDBC_PASSWORD", "pass\uFFFD");
        refuses("lock.jdbc.password", "environment LOCK_JDBC_PASSWORD", "not text in its locale");

        environment.remove("LOCK_JDBC_PASSWORD");
        system.setProperty("lock.jdbc.url", "jdbc:sqlite:/srv/\uFFFD.db");
        refuses("lock.jdbc.url", "system property", "not text in its locale");
    }

    /** Java finds no file there, and would take another store. */
    @Test
    void byConvention_inADirectoryThatIsNotTextInTheLocale_throws() {
        environment.put("LOCK_PROVIDER", "jdbc");
        system.setProperty("user.dir", "/srv/\uFFFD\uFFFD");

        assertThatThrownBy(() -> sources().byConvention(KEYS))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("working directory is not text")
                .hasMessageContaining("LC_ALL=C.UTF-8");
    }

    @Test
    void unknownKey_inTheFile_throwsAndSuggestsTheNearest() throws IOException {
        write("lock.provider=jdbc\nlock.jdbc.pol-size=5");
        refuses("unknown key lock.jdbc.pol-size (file ", "lock.properties", "did you mean lock.jdbc.pool-size?");
    }

    @Test
    void unknownSystemProperty_ifCloseToAKey_throws() throws IOException {
        write("lock.provider=jdbc");
        system.setProperty("lock.door", "green");
        sources().byConvention(KEYS);

        system.setProperty("lock.laese", "5s");
        refuses("unknown key lock.laese (system property)", "did you mean lock.lease?");
    }

    @Test
    void byConvention_withoutAnySource_throwsAndListsThePlaces() {
        refuses("no configuration", directory.resolve("lock.properties").toString(), "LOCK_PROVIDER");
    }

    @Test
    void file_thatIsABrokenLink_throws() throws IOException {
        environment.put("LOCK_PROVIDER", "jdbc");
        Files.createSymbolicLink(directory.resolve("lock.properties"), directory.resolve("nowhere"));
        refuses("cannot read the configuration file", "lock.properties");
    }

    @Test
    void byConvention_withTheEnvironmentOnly_returnsItsSettings() {
        environment.put("LOCK_PROVIDER", "jdbc");
        environment.put("LOCK_JDBC_POOL_SIZE", "3");

        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.integer("lock.jdbc.pool-size", 8, 1, 100)).isEqualTo(3);
    }

    @Test
    void invalidValue_ofAKnownKey_throwsAndNamesValueOriginAndWhatIsAllowed() throws IOException {
        write("lock.provider=jdbc\nlock.lease=30 seconds");
        refuses("lock.lease=30 seconds", "lock.properties", "500ms", "at least 100ms");
        write("lock.provider=jdbc\nlock.acquire-timeout=-1s");
        refuses("lock.acquire-timeout=-1s", "at least 0s");
        write("lock.provider=jdbc\nlock.namespace=a b");
        refuses("lock.namespace=a b", "A-Z");
        write("lock.provider=");
        refuses("lock.provider is empty");
        write("lock.provider=jdbc\nlock.lease=1s\nlock.call-timeout=2s");
        refuses("lock.lease=1s", "shorter than lock.call-timeout=2s");
    }

    @Test
    void unknownKey_inTheMessage_isNamedWithoutItsValue() throws IOException {
        for (String key : List.of("lock.jdbc.pasword", "lock.jdbc.pw", "lock.redis.auth", "lock.jdbc.kennwort")) {
            write("lock.provider=jdbc\n" + key + "=hunter2");
            assertThatThrownBy(() -> sources().byConvention(KEYS))
                    .hasMessageContaining("unknown key " + key)
                    .hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void key_secretForOneProvider_isMaskedForAll() throws IOException {
        write("lock.provider=jdbc\nlock.x.code=hunter2");
        for (List<ConfigKey> keys : List.of(
                List.of(ConfigKey.secret("lock.x.code"), ConfigKey.required("lock.x.code")),
                List.of(ConfigKey.required("lock.x.code"), ConfigKey.secret("lock.x.code")))) {
            assertThat(sources().byConvention(new Keys(keys)).invalid("lock.x.code", "right"))
                    .hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void effective_allSettings_showOriginsAndMaskSecrets() throws IOException {
        write(
                "lock.provider=jdbc\nlock.jdbc.password=hunter2\nlock.jdbc.url=jdbc:x://u:hunter2@h/d\nlock.acquire-timeout=5s");
        system.setProperty("lock.acquire-timeout", "6s");
        environment.put("LOCK_LEASE", "7s");

        assertThat(sources()
                        .byConvention(KEYS)
                        .effective(KEYS.known().stream()
                                .filter(key -> key.startsWith("lock.jdbc."))
                                .map(ConfigKey::required)
                                .toList()))
                .extracting(EffectiveSetting::toString)
                .noneMatch(setting -> setting.contains("hunter2"))
                .anyMatch(setting -> setting.contains("key=lock.jdbc.password, value=****, origin=file "))
                .anyMatch(setting -> setting.contains("key=lock.acquire-timeout, value=6s, origin=system property"))
                .anyMatch(setting -> setting.contains("key=lock.lease, value=7s, origin=environment LOCK_LEASE"))
                .anyMatch(setting -> setting.contains("key=lock.jdbc.pool-size, value=must be set, origin=default"))
                .anyMatch(setting -> setting.contains(
                        "key=lock.max-local-handoffs, value=16; more on a store that polls, origin=default"));
    }

    @Test
    void invalid_ofASecret_masksTheValue() throws IOException {
        write(
                "lock.provider=jdbc\nlock.jdbc.password=hunter2\nlock.jdbc.url=jdbc:x://u:hunter2@h/d?password=hunter2&a=b");
        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.invalid("lock.jdbc.password", "right"))
                .hasMessageContaining("****")
                .hasMessageNotContaining("hunter2");
        assertThat(settings.invalid("lock.jdbc.url", "right"))
                .hasMessageContaining("a=b")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void callTimeout_unset_isAtMostAThirdOfTheLease() {
        environment.put("LOCK_PROVIDER", "jdbc");
        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.callTimeout(Duration.ofSeconds(60))).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.callTimeout(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void settings_withNonStringProperties_throws() {
        Properties properties = new Properties();
        properties.put("lock.lease", 30);

        assertThatThrownBy(() -> sources().settings(properties, "here", KEYS))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.lease");
    }

    private void refuses(String... parts) {
        assertThatThrownBy(() -> sources().byConvention(KEYS))
                .isInstanceOf(LockConfigurationException.class)
                .message()
                .contains(parts);
    }

    private void write(String text) throws IOException {
        Files.writeString(directory.resolve("lock.properties"), text);
    }

    private Sources sources() {
        return new Sources(directory, environment, system);
    }
}
