package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.OpeningAssertions.opening;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The errors of opening a store with wrong settings. */
@Tag("first-build")
class OpeningErrorsTest {

    private static final Postgres DATABASE = Postgres.database();

    @TempDir
    Path directory;

    @Test
    void open_withoutUrl_isRefused() {
        opening(Map.of()).isInstanceOf(LockConfigurationException.class).hasMessageContaining("lock.jdbc.url");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:oracle:thin:@localhost/x",
                "localhost",
                "jdbc:sqlite:",
                "jdbc:sqlite::memory:",
                "jdbc:sqlite:file:x?mode=memory",
                "jdbc:sqlite:x.db?journal_mode=delete"
            })
    void open_withAnotherUrl_namesTheAllowedOnes(String url) {
        opening(Map.of("lock.jdbc.url", url))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.jdbc.url")
                .hasMessageContaining("jdbc:sqlite:<file>");
    }

    @Test
    void open_whenServerIsUnreachable_isUnavailableWithoutSecretsInTheMessage() {
        String url = "jdbc:postgresql://127.0.0.1:1/x"; // a port on which nothing listens
        assertThatThrownBy(() -> Opened.store(
                        "test", Map.of("lock.jdbc.url", url + "?password=hush-hush", "lock.jdbc.password", "hush-too")))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(url)
                .hasMessageContaining(": Connection refused (")
                .satisfies(OpeningErrorsTest::keepsQuiet);
    }

    @Test
    void open_whenDriverCannotParseTheUrl_masksSecrets() {
        for (String unreadable : List.of(
                "host:notaport/x?password=hush-hush",
                "host:notaport/x?password=a hush&ssl=true",
                "host:notaport/x?user=u&password=a\n'hush'",
                "u:a hush@host:1/x")) {
            opening(Map.of("lock.jdbc.url", "jdbc:postgresql://" + unreadable))
                    .as(unreadable)
                    .isInstanceOf(LockConfigurationException.class)
                    .satisfies(OpeningErrorsTest::keepsQuiet);
        }
    }

    private static void keepsQuiet(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            assertThat(at.toString()).doesNotContain("hush");
        }
    }

    @Test
    void open_withWrongPasswordUserOrDatabase_namesTheSettings() {
        for (String[] wrong : new String[][] {
            {"lock.jdbc.password", "wrong"},
            {"lock.jdbc.username", "nobody"},
            {"lock.jdbc.url", DATABASE.server().url("no_such_database")}
        }) {
            opening(DATABASE.settings(wrong))
                    .as(wrong[0])
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageEndingWith(
                            "; see lock.jdbc.url (test), lock.jdbc.username (test), lock.jdbc.password (test)")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("'wrong'"));
        }
        Map<String, String> none = new HashMap<>(DATABASE.settings());
        none.remove("lock.jdbc.password");
        opening(none)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageEndingWith("lock.jdbc.password (not set)");
    }

    @Test
    void open_withAWrongPassword_namesTheLineAndTheVariableItComesFrom() throws IOException {
        Path file = Files.writeString(
                directory.resolve("lock.properties"),
                "lock.provider=jdbc\nlock.jdbc.url=" + DATABASE.url() + "\nlock.jdbc.username="
                        + DATABASE.server().username() + "\n\nlock.jdbc.password=x${PATH}\n");

        assertThatThrownBy(() -> Locks.open(file).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.jdbc.username (file " + file + ", line 3)")
                .hasMessageEndingWith(
                        "lock.jdbc.password (file " + file + ", line 5, by the environment variable PATH)")
                .message()
                .doesNotContain("x" + System.getenv("PATH"));
    }

    @Test
    void open_whenEncodingIsNotUtf8_isRefused() throws SQLException {
        DATABASE.execute("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        opening(DATABASE.settings("lock.jdbc.url", DATABASE.server().url("latin")))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("LATIN1")
                .hasMessageContaining("UTF8");
    }

    @Test
    void open_withUnusableFile_isAConfigurationError() throws IOException {
        Path plain = Files.writeString(directory.resolve("plain"), "this is not a database, but it is long enough");
        for (Path file : List.of(plain, plain.resolve("below.db"), directory)) {
            opening(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file))
                    .as(file.toString())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining(file.toString());
        }
    }
}
