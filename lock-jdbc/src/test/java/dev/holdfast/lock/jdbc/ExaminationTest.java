package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** What an operator is told about the store, and that its advice helps. */
class ExaminationTest {

    @TempDir
    private Path directory;

    @Test
    void aDatabaseAsItShouldBeIsFine() {
        assertThat(examine(Postgres.database().settings("lock.namespace", "app")))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.FINE))
                .extracting(Finding::subject)
                .containsExactly("settings", "connection", "clock", "signals", "steps", "schema", "replication");
    }

    @Test
    void aSqliteFileIsFineForOneMachine() {
        assertThat(examine(
                        Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks"), "lock.namespace", "app")))
                .allSatisfy(finding -> assertThat(finding.severity()).isLessThanOrEqualTo(Severity.NOTE))
                .filteredOn(finding -> finding.severity() == Severity.NOTE)
                .extracting(Finding::subject)
                .containsExactly("reach");
    }

    @Test
    void rightsThatLackAreNamedAndGrantedByTheStatementThatIsAdvised() throws SQLException {
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close(); // makes the tables
        String role = "poor_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'poor'; GRANT SELECT ON holdfast_lock TO " + role);
        Map<String, String> settings =
                database.settings("lock.jdbc.username", role, "lock.jdbc.password", "poor", "lock.namespace", "app");

        List<Finding> findings = examine(settings);

        assertThat(errors(findings)).extracting(Finding::subject).containsExactly("steps", "rights");
        assertThat(errors(findings).get(0).found()).contains("permission denied for table holdfast_lock");
        String advice = errors(findings).get(1).advice();
        assertThat(advice)
                .contains("GRANT INSERT, UPDATE, DELETE ON public.holdfast_lock TO " + role)
                .contains("GRANT SELECT, UPDATE ON public.holdfast_floor TO " + role);
        database.execute(advice.substring(advice.indexOf("GRANT")));
        assertThat(examine(settings))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.FINE));
    }

    @Test
    void aFunctionThatMayNotBeCalledIsNamed() throws SQLException {
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close();
        String role = "exec_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'exec';"
                + "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role + ";"
                + "REVOKE EXECUTE ON FUNCTION holdfast_prune_v1 FROM PUBLIC");

        List<Finding> findings = examine(
                database.settings("lock.jdbc.username", role, "lock.jdbc.password", "exec", "lock.namespace", "app"));

        assertThat(errors(findings))
                .singleElement()
                .satisfies(finding -> assertThat(finding.advice())
                        .contains("GRANT EXECUTE ON FUNCTION public.holdfast_prune_v1(bigint,bigint,integer) TO "
                                + role));
    }

    @Test
    void aSchemaMayHaveAnyName() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("CREATE SCHEMA \"O'Brien? $x\"");
        assertThat(examine(database.settings(
                        "lock.jdbc.url",
                        database.url() + "?currentSchema=%22O%27Brien%3F+%24x%22",
                        "lock.namespace",
                        "app")))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.FINE))
                .last()
                .isNotNull();
        assertThat(database.value("SELECT to_regclass('\"O''Brien? $x\".holdfast_lock')"))
                .isNotNull();
    }

    @Test
    void lookingMakesNothing() throws SQLException, IOException {
        Path file = directory.resolve("none").resolve("locks");
        assertThatThrownBy(() -> look(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file)))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there is no file " + file);
        assertThat(file.getParent()).doesNotExist();

        Path others = directory.resolve("an application's");
        try (Connection application = DriverManager.getConnection("jdbc:sqlite:" + others);
                Statement statement = application.createStatement()) {
            statement.execute("CREATE TABLE item (id INTEGER)");
        }
        byte[] before = Files.readAllBytes(others);
        assertThatThrownBy(() -> look(Map.of("lock.jdbc.url", "jdbc:sqlite:" + others)))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there are no tables of Holdfast");
        assertThat(others).hasBinaryContent(before);
        assertThat(directory.toFile().list()).containsExactly("an application's");

        Postgres database = Postgres.database();
        assertThatThrownBy(() -> look(database.settings()))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there are no tables of Holdfast");
        assertThat(database.value("SELECT to_regclass('holdfast_lock')")).isNull();

        assertThat(examine(database.settings())).isNotEmpty();
        look(database.settings());
    }

    private static void look(Map<String, String> settings) {
        try (LockAdmin admin = admin(settings)) {
            admin.locks("").close();
        }
    }

    @Test
    @ResourceLock(PostgresServer.TO_CONFIGURE)
    void grantsThatWaitForAStandbyThatIsNotThereAreAnError() throws SQLException {
        Postgres database = Postgres.on(PostgresServer.toConfigure());
        Opened.store(database.settings()).close();
        configure(database, "SET synchronous_standby_names = 's1'");
        try {
            AtomicReference<List<Finding>> findings = new AtomicReference<>();
            Await.until("the server has read its configuration, and lets steps wait", () -> {
                findings.set(examine(database.settings()));
                return errors(findings.get()).stream().map(Finding::subject).anyMatch("steps"::equals);
            });
            assertThat(errors(findings.get())).extracting(Finding::subject).containsExactly("steps", "replication");
            assertThat(findings.get()).extracting(Finding::subject).doesNotContain("connection");
        } finally {
            configure(database, "RESET synchronous_standby_names");
        }
    }

    private static void configure(Postgres database, String setting) throws SQLException {
        database.execute("ALTER SYSTEM " + setting);
        database.execute("SELECT pg_reload_conf()");
    }

    @Test
    void whatACrashWouldUndoIsAWarning() throws SQLException {
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close();
        database.execute("ALTER TABLE holdfast_lock SET UNLOGGED");

        assertThat(examine(database.settings()))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains("holdfast_lock"));
    }

    @Test
    @ResourceLock(PostgresServer.TO_CONFIGURE)
    void aStandbyThatIsNotSynchronousIsAWarning() throws SQLException {
        PostgresServer server = PostgresServer.toConfigure();
        Postgres database = Postgres.on(server);
        database.execute("COPY (VALUES ('host all all all md5'), ('host replication all all md5'))" + " TO '"
                + database.value("SHOW hba_file") + "'");
        database.execute("SELECT pg_reload_conf()");
        try (Connection standby = replicating(server);
                PGReplicationStream stream = standby.unwrap(PGConnection.class)
                        .getReplicationAPI()
                        .replicationStream()
                        .physical()
                        .withStartPosition(LogSequenceNumber.valueOf(database.value("SELECT pg_current_wal_lsn()")))
                        .start()) {
            assertThat(stream.isClosed()).isFalse();
            assertThat(examine(database.settings()))
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(
                            finding -> assertThat(finding.found()).contains("standbys: 1, none of them synchronous"));
            try (LockStore store = Opened.store(database.settings())) {
                configure(database, "SET synchronous_standby_names = 'another'");
                Await.until(
                        "the server has read its configuration",
                        () -> errors(store.examine(Steps.CALL)).stream()
                                .anyMatch(finding -> finding.found().contains("no standby of those names is there")));
            }
        } finally {
            configure(database, "RESET synchronous_standby_names");
        }
    }

    private static Connection replicating(PostgresServer server) throws SQLException {
        Properties properties = new Properties();
        PGProperty.USER.set(properties, server.username());
        PGProperty.PASSWORD.set(properties, server.password());
        PGProperty.REPLICATION.set(properties, "true");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "10");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        return DriverManager.getConnection(server.url("postgres"), properties);
    }

    @Test
    void aPoolerThatLendsSessionsForATransactionIsAWarning() throws SQLException {
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close(); // makes the tables, with two transactions at a time
        try (LentSessions lent = new LentSessions(database);
                LockStore store = Opened.on(lent, new Namespace("app"))) {
            assertThat(store.examine(Steps.CALL))
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.found()).contains("LISTEN is not heard"));
        }
    }

    @Test
    void aSchemaInWhichOthersMayCreateIsAWarning() throws SQLException {
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close();
        database.execute("CREATE SCHEMA others; GRANT CREATE ON SCHEMA others TO PUBLIC");
        assertThat(examine(database.settings("lock.jdbc.url", database.url() + "?currentSchema=public,others")))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains(": others (PUBLIC);"));
        database.execute("REVOKE CREATE ON SCHEMA others FROM PUBLIC");
        assertThat(examine(database.settings("lock.jdbc.url", database.url() + "?currentSchema=public,others")))
                .noneSatisfy(finding -> assertThat(finding.subject()).isEqualTo("path"));
    }

    @Test
    void severalHostsOfAnyKindAreAWarning() {
        Postgres database = Postgres.database();
        String url = database.url().replace("127.0.0.1", "127.0.0.1:1,127.0.0.1");
        assertThat(examine(database.settings("lock.jdbc.url", url)))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> assertThat(finding.advice()).contains("targetServerType=primary"));
        assertThat(examine(database.settings("lock.jdbc.url", url + "?targetServerType=primary")))
                .noneSatisfy(finding -> assertThat(finding.severity()).isGreaterThan(Severity.NOTE));
    }

    @Test
    void aServerOutOfReachAndAWrongPasswordAreErrors() {
        Postgres database = Postgres.database();
        assertThat(errors(examine(database.settings("lock.jdbc.password", "wrong"))))
                .extracting(Finding::subject)
                .containsExactly("configuration");
        assertThat(errors(examine(database.settings("lock.jdbc.url", "jdbc:postgresql://127.0.0.1:1/none"))))
                .extracting(Finding::subject)
                .containsExactly("connection");
    }

    private static List<Finding> errors(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .toList();
    }

    private static List<Finding> examine(Map<String, String> settings) {
        try (LockAdmin admin = admin(settings)) {
            return admin.examine();
        }
    }

    private static LockAdmin admin(Map<String, String> settings) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.putAll(settings);
        return LockAdmin.of(properties);
    }
}
