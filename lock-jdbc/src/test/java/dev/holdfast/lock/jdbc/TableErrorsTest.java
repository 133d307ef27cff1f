package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.OpeningAssertions.opening;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The errors of opening a store whose tables are missing or cannot be used. */
@Tag("first-build")
class TableErrorsTest {

    @TempDir
    Path directory;

    @Test
    void open_whenTablesAreMissingAndMigrateIsFalse_namesTheScripts() {
        opening(Postgres.database().settings("lock.jdbc.migrate", "false"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessage("there are no tables of Holdfast; lock.jdbc.migrate is false. To create them by hand, run"
                        + " V1__tables.sql, then functions.sql, in lock-jdbc's jar under"
                        + " dev/holdfast/lock/jdbc/postgresql");
        opening(Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("x.db"), "lock.jdbc.migrate", "false"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessage("there are no tables of Holdfast; lock.jdbc.migrate is false. To create them by hand, run"
                        + " V1__tables.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/sqlite");
    }

    @Test
    void open_whenScriptsWereRunTwiceByHand_accepted() throws SQLException, IOException {
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
    void open_whenServerFailsDuringMigration_isUnavailable() throws Exception {
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
                    OwnThread.EACH);

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
    void open_whenTablesAreNotHoldfasts_isRefusedAndLeavesThemAlone() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("CREATE TABLE holdfast_lock (namespace text, name text, token int, extra int NOT NULL)");
        for (String migrate : List.of("true", "false")) {
            opening(database.settings("lock.jdbc.migrate", migrate))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("their version is not in holdfast_schema");
        }
        assertThat(database.value("SELECT to_regclass('holdfast_token_floor')")).isNull();
        Path file = directory.resolve("other.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE holdfast_lock (namespace TEXT, name TEXT, token TEXT)");
        }
        opening(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("their version is not in holdfast_schema");
    }

    @Test
    void open_whenTablesAreForNewerClientsOnly_isRefusedAndNamesBothVersions() throws Exception {
        Postgres database = Postgres.withTables();
        database.execute("UPDATE holdfast_schema SET version = 7, oldest_client = 6");
        Path file = directory.resolve("newer.db");
        Opened.sqlite(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE holdfast_schema SET version = 7, oldest_client = 6");
        }
        for (Map<String, String> settings : List.of(
                database.settings(),
                database.settings("lock.jdbc.migrate", "false"),
                Map.of("lock.jdbc.url", "jdbc:sqlite:" + file))) {
            opening(settings)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("of version 7 and serve clients of version 6 or newer")
                    .hasMessageContaining("this Holdfast is of version 1: use a newer one");
        }
        assertThatThrownBy(() -> database.execute(resource("postgresql/functions.sql")))
                .hasMessageContaining("are of version 7, these functions are of version 1");
    }

    @Test
    void open_whenATableIsMissing_isRefusedAndNamesIt() throws Exception {
        Postgres database = Postgres.withTables();
        database.execute("DROP TABLE holdfast_waiter");
        Path file = directory.resolve("incomplete.db");
        Opened.sqlite(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE holdfast_waiter");
        }
        for (Map<String, String> settings :
                List.of(database.settings(), Map.of("lock.jdbc.url", "jdbc:sqlite:" + file))) {
            opening(settings)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("missing tables: holdfast_waiter");
        }
    }

    @Test
    void open_whenThereAreOnlyTablesMadeByHand_createsTheFunctions() throws Exception {
        Postgres database = Postgres.database();
        database.execute(resource("postgresql/V1__tables.sql"));
        opening(database.settings("lock.jdbc.migrate", "false"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("a function is missing");
        Opened.store(database.settings()).close();
    }

    @Test
    void createFunctions_whenRoleDoesNotOwnTheTables_isRefused() throws Exception {
        Postgres database = Postgres.database();
        database.execute(resource("postgresql/V1__tables.sql"));
        String role = "other_" + database.name();
        database.execute("CREATE ROLE " + role + "; GRANT CREATE ON SCHEMA public TO " + role);
        assertThatThrownBy(() -> database.execute("SET ROLE " + role + ";" + resource("postgresql/functions.sql")))
                .hasMessageContaining("run functions.sql as the owner of the tables");
    }

    @Test
    void open_whenTablesAreInALaterSchema_createsNoSecondSet() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("CREATE SCHEMA locks; CREATE SCHEMA application");
        String both = database.url() + "?currentSchema=application,locks";
        Opened.store(database.settings("lock.jdbc.url", database.url() + "?currentSchema=locks"))
                .close();
        Opened.store(database.settings("lock.jdbc.url", both)).close(); // nothing is missing
        database.execute("DROP FUNCTION locks.holdfast_execute");

        opening(database.settings("lock.jdbc.url", both))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("they are in the schema locks, which is not the first of the search path")
                .hasMessageContaining("a function is missing");
        assertThat(database.value("SELECT to_regclass('application.holdfast_lock')"))
                .isNull();
    }

    @Test
    void open_whenAFunctionWasDroppedOrAltered_createsItAgainOrNamesTheScript() throws SQLException {
        Postgres database = Postgres.withTables();
        for (String change : List.of(
                "DROP FUNCTION holdfast_prune",
                "ALTER FUNCTION holdfast_execute SET search_path = public",
                "ALTER FUNCTION holdfast_execute STABLE",
                "ALTER FUNCTION holdfast_execute SECURITY DEFINER")) {
            database.execute(
                    "DO $$ BEGIN EXECUTE (SELECT replace('" + change + "', p.proname, p.oid::regprocedure::text)"
                            + " FROM pg_proc p WHERE '" + change + "' LIKE '% ' || p.proname || '%'"
                            + " AND p.proname LIKE 'holdfast%'); END $$");
            opening(database.settings("lock.jdbc.migrate", "false"))
                    .as(change)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("a function is missing, altered, or bound to a schema")
                    .hasMessageContaining("run functions.sql, in lock-jdbc's jar");
            Opened.store(database.settings()).close();
            Opened.store(database.settings("lock.jdbc.migrate", "false")).close();
        }
    }

    @Test
    void open_whenAFunctionIsMissingAndTheRoleDoesNotOwnTheTables_namesTheOwner() throws SQLException {
        Postgres database = Postgres.withTables();
        database.execute("DROP FUNCTION holdfast_prune");
        String role = "guest_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'guest'; GRANT CREATE ON SCHEMA public TO " + role);
        opening(database.settings("lock.jdbc.username", role, "lock.jdbc.password", "guest"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("they cannot be created")
                .hasMessageContaining("run functions.sql as the owner of the tables, "
                        + database.server().username() + ", instead of as " + role);
    }

    private static String resource(String name) throws IOException {
        try (var in = JdbcLockProvider.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
