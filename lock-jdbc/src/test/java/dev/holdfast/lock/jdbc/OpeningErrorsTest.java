package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be wrong when a store is opened, and what is said about it. */
class OpeningErrorsTest {

    private static final Postgres DATABASE = Postgres.database();

    @TempDir
    Path directory;

    @Test
    void withoutAUrlNothingIsOpened() {
        opening(Map.of()).isInstanceOf(LockConfigurationException.class).hasMessageContaining("lock.jdbc.url");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://localhost/x",
                "localhost",
                "jdbc:sqlite:",
                "jdbc:sqlite::memory:",
                "jdbc:sqlite:file:x?mode=memory",
                "jdbc:sqlite:x.db?journal_mode=delete"
            })
    void aUrlOfAnythingElseNamesWhatIsAllowed(String url) {
        opening(Map.of("lock.jdbc.url", url))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.jdbc.url")
                .hasMessageContaining("jdbc:sqlite:<file>");
    }

    @Test
    void aServerOutOfReachIsUnavailableAndNamedWithoutItsSecrets() {
        String url = "jdbc:postgresql://127.0.0.1:1/x"; // where nobody listens
        assertThatThrownBy(() -> Opened.store(
                        "test", Map.of("lock.jdbc.url", url + "?password=hush-hush", "lock.jdbc.password", "hush-too")))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(url)
                .satisfies(OpeningErrorsTest::keepsQuiet);
    }

    @Test
    void aUrlThatTheDriverCannotReadIsQuotedWithoutItsSecrets() {
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
    void aWrongPasswordOrUserOrDatabaseIsASetting() {
        for (String[] wrong : new String[][] {
            {"lock.jdbc.password", "wrong"},
            {"lock.jdbc.username", "nobody"},
            {"lock.jdbc.url", DATABASE.server().url("no_such_database")}
        }) {
            opening(DATABASE.settings(wrong))
                    .as(wrong[0])
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("lock.jdbc.url, .username and .password")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("'wrong'"));
        }
        Map<String, String> none = new HashMap<>(DATABASE.settings());
        none.remove("lock.jdbc.password");
        opening(none).isInstanceOf(LockConfigurationException.class);
    }

    @Test
    void missingTablesThatMayNotBeMadeTellWhereTheStatementsAre() {
        opening(Postgres.on(DATABASE.server()).settings("lock.jdbc.migrate", "false"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessage("there are no tables of Holdfast, and lock.jdbc.migrate is false: run V1__tables.sql, then"
                        + " V2__functions.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/postgresql");
        opening(Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("x.db"), "lock.jdbc.migrate", "false"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessage("there are no tables of Holdfast, and lock.jdbc.migrate is false: run V1__tables.sql, in"
                        + " lock-jdbc's jar under dev/holdfast/lock/jdbc/sqlite");
    }

    @Test
    void theStatementsServeWhenRunByHandAndTwice() throws SQLException, IOException {
        Postgres database = Postgres.on(DATABASE.server());
        for (int time = 0; time < 2; time++) {
            for (String script : new PostgreSql().scripts().names()) {
                database.execute(resource("postgresql/" + script));
            }
        }
        Opened.store(database.settings("lock.jdbc.migrate", "false")).close();
        assertThat(database.value("SELECT to_regclass('holdfast_history')")).isNull();
    }

    @Test
    void aServerThatFailsWhileTablesAreMadeIsUnavailable() throws Exception {
        Postgres database = Postgres.on(DATABASE.server());
        try (Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute(
                    "CREATE TABLE holdfast_lock (namespace text)"); // which nobody sees, and who makes it waits for
            CompletableFuture<Void> opening = CompletableFuture.runAsync(
                    () -> assertThatThrownBy(() -> Opened.store("test", database.settings()))
                            .isInstanceOf(LockUnavailableException.class),
                    task -> new Thread(task).start());

            Await.until(
                    "the migration is under way, and has been ended",
                    () -> opening.isDone()
                            || database.value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                            + " WHERE datname = current_database() AND query LIKE '%CREATE TABLE%'"
                                            + " AND wait_event_type = 'Lock'")
                                    .equals("1"));

            opening.get(1, TimeUnit.MINUTES);
        }
        Opened.store(database.settings()).close();
    }

    @Test
    void tablesOfAnotherShapeAreNamedAndLeftAlone() throws SQLException {
        Postgres database = Postgres.on(DATABASE.server());
        database.execute("CREATE TABLE holdfast_lock (namespace text, name text, token int, extra int NOT NULL)");
        for (String migrate : List.of("true", "false")) {
            opening(database.settings("lock.jdbc.migrate", migrate))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("holdfast_lock.token is integer instead of bigint")
                    .hasMessageContaining("holdfast_lock.name is text instead of text COLLATE \"C\"")
                    .hasMessageContaining("holdfast_lock has no column state text")
                    .hasMessageContaining("holdfast_lock.extra is not ours and must be given a value");
        }
        assertThat(database.value("SELECT to_regclass('holdfast_floor')")).isNull();
        Path file = directory.resolve("other.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE holdfast_lock (namespace TEXT, name TEXT, token TEXT)");
        }
        opening(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("holdfast_lock.token is TEXT instead of INTEGER");
    }

    @Test
    void tablesThatAreNotInTheFirstSchemaAreNotMadeASecondTimeInIt() throws SQLException {
        Postgres database = Postgres.on(DATABASE.server());
        String both = database.url() + "?currentSchema=application,locks";
        Opened.store(database.settings("lock.jdbc.url", database.url() + "?currentSchema=locks"))
                .close();
        database.execute("CREATE SCHEMA application");
        Opened.store(database.settings("lock.jdbc.url", both)).close(); // nothing is missing
        database.execute("DROP FUNCTION locks.holdfast_apply_v1");

        opening(database.settings("lock.jdbc.url", both))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("tables are in locks, which is not the first schema")
                .hasMessageContaining("holdfast_apply_v1");
        assertThat(database.value("SELECT to_regclass('application.holdfast_lock')"))
                .isNull();
    }

    @Test
    void aMissingFunctionIsMadeAgainOnlyByHand() throws SQLException {
        Postgres database = Postgres.on(DATABASE.server());
        Opened.store(database.settings()).close();
        database.execute("DROP FUNCTION holdfast_prune_v1");
        opening(database.settings())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there is no function holdfast_prune_v1");
    }

    @Test
    void aDatabaseThatCannotHoldEveryNameIsRefused() throws SQLException {
        DATABASE.execute("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        opening(DATABASE.settings("lock.jdbc.url", DATABASE.server().url("latin")))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("LATIN1")
                .hasMessageContaining("UTF8");
    }

    @Test
    void aFileThatCannotBeIsASetting() throws IOException {
        Path plain = Files.writeString(directory.resolve("plain"), "this is not a database, but it is long enough");
        for (Path file : List.of(plain, plain.resolve("below.db"), directory)) {
            opening(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file))
                    .as(file.toString())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining(file.toString());
        }
    }

    private AbstractThrowableAssert<?, ?> opening(Map<String, String> settings) {
        return assertThatThrownBy(() -> Opened.store(settings).close());
    }

    private static String resource(String name) throws IOException {
        try (var in = JdbcLockProvider.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
