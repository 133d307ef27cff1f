package dev.holdfast.lock.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.environment.LockProviders;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
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

    private static final ConfigKey<String> URL = text("lock.jdbc.url").required();
    private static final ConfigKey<String> PASSWORD = text("lock.jdbc.password").secret();
    private static final ConfigKey<Integer> POOL_SIZE =
            ConfigKey.integer("lock.jdbc.pool-size", 1, 100, "connections").withDefault(8);
    private static final Keys KEYS = new Keys(List.of(URL, PASSWORD, POOL_SIZE));

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
            Settings settings = Sources.resolved(properties, new OwnNames("test"), KEYS);

            assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.get(PASSWORD)).isEqualTo("${user.home}");
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

        assertThat(settings.get(URL)).isEqualTo("jdbc:postgresql://db/x");
        assertThat(settings.get(PASSWORD)).isEqualTo("a${KIND}$1\\");
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
    void placeholder_ofAnotherForm_throwsAndSaysTheFormWithoutTheDefault() throws IOException {
        environment.put("X", "y");
        for (String form : List.of("${X:-hunter2}", "${X:hunter2}", "${${X}}", "${X hunter2", "${}")) {
            write("lock.provider=jdbc\nlock.jdbc.password=" + form);
            refuses("lock.jdbc.password (file ", ", line 2)", "contains ${", "expected ${NAME}", "LOCK_JDBC_PASSWORD");
            assertThatThrownBy(() -> sources().byConvention(KEYS)).hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void origin_ofAValueWithAPlaceholder_namesLineAndVariable() throws IOException {
        write("# the store\n\nlock.provider=jdbc\nlock.lease=${SECONDS}");
        environment.put("SECONDS", "thirty");
        refuses("lock.lease=thirty (file ", "lock.properties, line 4, by the environment variable SECONDS)");
    }

    @Test
    void unknownVariable_ofTheEnvironment_throwsAndSuggestsTheNearest() {
        environment.put("LOCK_PROVIDER", "jdbc");
        for (String name : List.of("LOCK_NAMESPCE", "lock.namespace", "LOCK_NameSpace", "lock_namespace")) {
            environment.put(name, "hunter2");
            refuses("unknown environment variable " + name, "did you mean LOCK_NAMESPACE?");
            assertThatThrownBy(() -> sources().byConvention(KEYS)).hasMessageNotContaining("hunter2");
            environment.remove(name);
        }
        environment.put("LOCK_CONFGI", "/etc/lock.properties");
        refuses("unknown environment variable LOCK_CONFGI", "did you mean LOCK_CONFIG?");
        environment.remove("LOCK_CONFGI");
        environment.put("LOCK_FILE", "/run/lock/backup");
        refuses("unknown environment variable LOCK_FILE", "another program, unset it");
    }

    /** The command line hands its variables to its commands; Kubernetes describes each service to each container. */
    @Test
    void variables_ofTheCommandLineAndOfKubernetes_areAllowed() {
        environment.putAll(Map.of(
                "LOCK_PROVIDER", "jdbc",
                "LOCK_CONFIG", "/etc/lock.properties",
                "lock_file", "/run/lock/backup",
                "LOCKFILE", "/run/lock/backup"));
        environment.putAll(Map.of(
                "LOCK_REDIS_SERVICE_HOST", "10.0.0.1",
                "LOCK_REDIS_SERVICE_PORT", "6379",
                "LOCK_REDIS_SERVICE_PORT_CLIENT", "6379",
                "LOCK_REDIS_PORT", "tcp://10.0.0.1:6379",
                "LOCK_REDIS_PORT_6379_TCP", "tcp://10.0.0.1:6379",
                "LOCK_REDIS_PORT_6379_TCP_PROTO", "tcp",
                "LOCK_PORT_80_TCP_ADDR", "10.0.0.2"));

        assertThat(sources().byConvention(KEYS).provider()).isEqualTo("jdbc");

        environment.put("LOCK_REDIS_PORT", "6379");
        refuses("unknown environment variable LOCK_REDIS_PORT");
    }

    @Test
    void file_withAByteOrderMark_isReadWithoutIt() throws IOException {
        write("\uFEFFlock.provider=jdbc\r\nlock.namespace=shop\r\n");
        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.provider()).isEqualTo("jdbc");
        assertThat(settings.namespace().value()).isEqualTo("shop");
    }

    @Test
    void text_thatIsNotUtf8_throwsTheSameWordsForFileAndClassPath() throws IOException {
        Path file = directory.resolve("lock.properties");
        byte[] latin1 = "lock.provider=jdbc\r\n# gr\u00fcn\nlock.lease=5s".getBytes(StandardCharsets.ISO_8859_1);
        byte[] notepad = "lock.provider=jdbc\n".getBytes(StandardCharsets.UTF_16);
        for (byte[] bytes : List.of(latin1, notepad)) {
            Files.write(file, bytes);
            String where =
                    ", line " + (bytes == latin1 ? 2 : 1) + ", contains bytes that are not UTF-8: save it as UTF-8";

            refuses("file " + file + where);
            assertThatThrownBy(() -> sources().resource(file.toUri().toURL(), KEYS))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessage("class path " + file.toUri().toURL() + where);
        }
    }

    @Test
    void key_thatIsTwiceInTheFile_throwsAndNamesBothLines() throws IOException {
        write("lock.provider=jdbc\nlock.jdbc.password=hunter2\n\n! later\n  lock.jdbc.password : hunter3");
        refuses("lock.jdbc.password is set twice in the file ", "lock.properties, on lines 2 and 5: remove one");
        assertThatThrownBy(() -> sources().byConvention(KEYS)).hasMessageNotContaining("hunter");
    }

    @Test
    void singleBackslash_inAValue_throwsAndSaysHowToWriteIt() throws IOException {
        for (String value : List.of("C:\\temp", "a\\xhunter2", "C:\\users", "\\\\\\nhunter2", "two \\\n  lines\\t")) {
            write("lock.provider=jdbc\nlock.jdbc.password=" + value);
            refuses(
                    "lock.jdbc.password (file ",
                    value.startsWith("two") ? ", line 3)" : ", line 2)",
                    "single backslash",
                    "write \\\\ for a backslash",
                    "\\u0009 for a tab");
            assertThatThrownBy(() -> sources().byConvention(KEYS)).hasMessageNotContaining("hunter2");
        }
        for (String rest : List.of("\nlock.lease=5s", "", "\n", "\n# comment")) {
            write("lock.provider=jdbc\nlock.jdbc.password=C:\\" + rest);
            refuses("lock.jdbc.password (file ", ", line 2)", "joins it with the next line");
        }
    }

    @Test
    void escapes_thatAreMeant_areReadAsPropertiesDoes() throws IOException {
        String text =
                "# C:\\temp\nlock.provider=jdbc\n  lock.namespace = \\\n  sh\\u006fp\nlock.jdbc.password=\\ a\\\\b\\:\\=\\#\\!\\u0009c"
                        + "\nlock.jdbc.url C\\:\\\\data\\\\\n";
        write(text);
        Properties expected = new Properties();
        expected.load(new StringReader(text));

        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.get(PASSWORD)).isEqualTo("a\\b:=#!\tc");
        assertThat(settings.get(URL)).isEqualTo("C:\\data\\");
        assertThat(settings.namespace().value()).isEqualTo("shop");
        assertThat(expected.stringPropertyNames())
                .allSatisfy(key -> assertThat(settings.get(text(key)))
                        .isEqualTo(expected.getProperty(key).strip()));
    }

    @Test
    void keyOfAProviderThatIsMissing_throwsAndNamesItsArtifact() throws IOException {
        write("lock.provider=jdbc\nlock.redis.uri=redis://hunter2@h");
        refuses("unknown key lock.redis.uri", "it is a key of dev.holdfast:lock-redis, which is not on the class path");
        write("lock.provider=redis\nlock.redis.uri=redis://h");
        Keys keys = Keys.of(LockProviders.find());
        assertThatThrownBy(() -> sources().byConvention(keys))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageStartingWith("lock.provider=redis: no provider of this name")
                .hasMessageContaining("add dev.holdfast:lock-redis");
        environment.put("LOCK_PROVIDER", "jdbc");
        environment.put("LOCK_JDBC_URL", "jdbc:sqlite:/srv/locks");
        Files.delete(directory.resolve("lock.properties"));
        assertThatThrownBy(() -> sources().byConvention(keys))
                .hasMessageStartingWith("lock.provider=jdbc: ")
                .hasMessageContaining("add dev.holdfast:lock-jdbc");
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

        assertThat(settings.get(POOL_SIZE)).isEqualTo(3);
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
        ConfigKey<String> shown = text("lock.x.code");
        ConfigKey<String> hidden = shown.secret();
        for (List<ConfigKey<?>> keys : List.<List<ConfigKey<?>>>of(List.of(hidden, shown), List.of(shown, hidden))) {
            assertThat(sources().byConvention(new Keys(keys)).invalid(shown, "right"))
                    .hasMessageNotContaining("hunter2");
        }
    }

    @Test
    void effective_allSettings_showOriginsAndMaskSecrets() throws IOException {
        write(
                "lock.provider=jdbc\nlock.jdbc.password=hunter2\nlock.jdbc.url=jdbc:x://u:hunter2@h/d\nlock.acquire-timeout=5s");
        system.setProperty("lock.acquire-timeout", "6s");
        environment.put("LOCK_LEASE", "7s");

        assertThat(sources().byConvention(KEYS).effective(List.of(URL, PASSWORD, POOL_SIZE)))
                .extracting(EffectiveSetting::toString)
                .noneMatch(setting -> setting.contains("hunter2"))
                .anyMatch(setting -> setting.contains("key=lock.jdbc.password, value=****, origin=file "))
                .anyMatch(setting -> setting.contains("key=lock.acquire-timeout, value=6s, origin=system property"))
                .anyMatch(setting -> setting.contains("key=lock.lease, value=7s, origin=environment LOCK_LEASE"))
                .anyMatch(setting -> setting.contains("key=lock.jdbc.pool-size, value=8, origin=default"))
                .anyMatch(setting -> setting.contains(
                        "key=lock.max-local-handoffs, value=16; more on a store that polls, origin=default"));
    }

    @Test
    void invalid_ofASecret_masksTheValue() throws IOException {
        write(
                "lock.provider=jdbc\nlock.jdbc.password=hunter2\nlock.jdbc.url=jdbc:x://u:hunter2@h/d?password=hunter2&ssl=true");
        Settings settings = sources().byConvention(KEYS);

        assertThat(settings.invalid(PASSWORD, "right"))
                .hasMessageContaining("****")
                .hasMessageNotContaining("hunter2");
        assertThat(settings.invalid(URL, "right"))
                .hasMessageContaining("ssl=true")
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

    private static ConfigKey<String> text(String name) {
        return ConfigKey.text(name, "some text");
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
