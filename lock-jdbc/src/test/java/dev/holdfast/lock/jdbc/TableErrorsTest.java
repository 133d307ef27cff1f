package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.OpeningErrors.opening;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be wrong with the tables when a store is opened, and what is said about it. */
class TableErrorsTest {

    @TempDir
    Path directory;

    @Test
    void missingTablesThatMayNotBeMadeTellWhereTheStatementsAre() {
        opening(Postgres.database().settings("lock.jdbc.migrate", "false"))
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
        Postgres database = Postgres.database();
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
        Postgres database = Postgres.database();
        try (Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute(
                    "CREATE TABLE holdfast_lock (namespace text)"); // not committed: another transaction cannot see it,
            // and waits if it makes it, too
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
        Postgres database = Postgres.database();
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
        Postgres database = Postgres.database();
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
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close();
        database.execute("DROP FUNCTION holdfast_prune_v1");
        opening(database.settings())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there is no function holdfast_prune_v1");
    }

    private static String resource(String name) throws IOException {
        try (var in = JdbcLockProvider.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
