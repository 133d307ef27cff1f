package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Diagnosed.errors;
import static dev.holdfast.lock.jdbc.Diagnosed.examine;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** The warnings about a store, and that they end once their advice is followed. */
@Tag("first-build")
class DiagnosticsWarningsTest {

    @Test
    @ResourceLock(PostgresServer.TO_CONFIGURE)
    void diagnose_whenSynchronousStandbyIsMissing_isAnError() throws SQLException {
        Postgres database = Postgres.on(PostgresServer.toConfigure());
        Map<String, String> settings = database.settings("lock.call-timeout", "5s"); // two calls take all of it
        Opened.store(settings).close();
        configure(database, "SET synchronous_standby_names = 's1'");
        try {
            AtomicReference<List<Finding>> findings = new AtomicReference<>();
            Await.until("the server has read its configuration, and lets steps wait", () -> {
                findings.set(examine(settings));
                boolean waits =
                        errors(findings.get()).stream().map(Finding::subject).anyMatch("commands"::equals);
                return waits && !subjects(findings.get()).contains("connection"); // else it did so in between
            });
            assertThat(errors(findings.get())).extracting(Finding::subject).containsExactly("commands", "replication");
        } finally {
            configure(database, "RESET synchronous_standby_names");
        }
    }

    private static List<String> subjects(List<Finding> findings) {
        return findings.stream().map(Finding::subject).toList();
    }

    private static void configure(Postgres database, String setting) throws SQLException {
        database.execute("ALTER SYSTEM " + setting);
        database.execute("SELECT pg_reload_conf()");
    }

    @Test
    void diagnose_whenACrashMayUndoGrants_warns() throws SQLException {
        Postgres database = Postgres.withTables();
        Opened.store(database.settings()).close();
        database.execute("ALTER TABLE holdfast_lock SET UNLOGGED");

        assertThat(examine(database.settings()))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains("holdfast_lock"));
    }

    @Test
    @ResourceLock(PostgresServer.TO_CONFIGURE)
    void diagnose_whenStandbyIsNotSynchronous_warns() throws SQLException {
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
                        .withStartPosition(
                                LogSequenceNumber.valueOf(database.value("SELECT pg_current_wal_flush_lsn()")))
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
                        () -> errors(store.diagnose(Commands.CALL)).stream()
                                .anyMatch(
                                        finding -> finding.found().contains("no standby of those names is connected")));
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
    void diagnose_whenPoolerLendsSessionsForATransaction_warns() throws SQLException {
        Postgres database = Postgres.withTables();
        Opened.store(database.settings()).close(); // makes the tables, with two transactions at a time
        try (TransactionPooler lent = new TransactionPooler(database);
                LockStore store = Opened.on(lent, new Namespace("app"))) {
            assertThat(store.diagnose(Commands.CALL))
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.found()).contains("LISTEN does not work"));
        }
    }

    /** As while a database is moved to a newer server. The row is that of a subscription which has copied its table. */
    @Test
    void diagnose_whileASubscriptionWritesTheTables_warns() throws SQLException {
        Postgres database = Postgres.withTables();
        database.execute("CREATE SUBSCRIPTION moving CONNECTION 'host=127.0.0.1' PUBLICATION everything"
                + " WITH (connect = false, slot_name = NONE)");
        database.execute("INSERT INTO pg_subscription_rel SELECT oid, 'holdfast_lock'::regclass, 'r'"
                + " FROM pg_subscription WHERE subname = 'moving'");
        assertThat(examine(database.settings()))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.subject()).isEqualTo("replication");
                    assertThat(finding.found()).contains("the subscription moving", "two clients hold");
                    assertThat(finding.advice()).contains("drop the subscription");
                });
        database.execute("DROP SUBSCRIPTION moving");
        assertThat(examine(database.settings()))
                .noneSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
    }

    @Test
    void diagnose_whenOtherRolesMayCreateInTheSchema_warns() throws SQLException {
        Postgres database = Postgres.withTables();
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
    void diagnose_whenUrlNamesSeveralHostsOfAnyKind_warns() {
        Postgres database = Postgres.withTables();
        String url = database.url().replace("127.0.0.1", "127.0.0.1:1,127.0.0.1");
        assertThat(examine(database.settings("lock.jdbc.url", url)))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> assertThat(finding.advice()).contains("targetServerType=primary"));
        assertThat(examine(database.settings("lock.jdbc.url", url + "?targetServerType=primary")))
                .noneSatisfy(finding -> assertThat(finding.severity()).isGreaterThan(Severity.NOTE));
    }

    @Test
    void diagnose_whenStatementTimeoutIsShorterThanACall_warns() throws SQLException {
        Postgres database = Postgres.withTables();
        database.execute("ALTER DATABASE " + database.name() + " SET statement_timeout = '9s'");
        assertThat(examine(database.settings()))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains("statement_timeout is 9000 ms"));
        database.execute("ALTER DATABASE " + database.name() + " SET statement_timeout = '1h'");
        assertThat(examine(database.settings()))
                .noneSatisfy(finding -> assertThat(finding.subject()).isEqualTo("timeout"));
    }
}
