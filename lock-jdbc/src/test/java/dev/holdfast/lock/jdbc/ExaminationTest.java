package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    void aStandbyThatIsNotSynchronousIsAWarning() throws SQLException {
        try (PostgresServer server = PostgresServer.own()) {
            Postgres database = Postgres.on(server);
            database.execute(
                    "COPY (VALUES ('host all all all scram-sha-256'), ('host replication all all scram-sha-256'))"
                            + " TO '" + database.value("SHOW hba_file") + "'");
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
                        .satisfies(finding ->
                                assertThat(finding.found()).contains("standbys: 1, none of them synchronous"));
            }
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
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.putAll(settings);
        try (LockAdmin admin = LockAdmin.of(properties)) {
            return admin.examine();
        }
    }
}
