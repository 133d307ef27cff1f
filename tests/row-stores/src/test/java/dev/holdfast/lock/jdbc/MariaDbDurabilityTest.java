package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the doctor finds about settings of a server with a binary log under which a grant may be lost, and about its replica. */
@Tag("second-build")
@Timeout(300)
class MariaDbDurabilityTest {

    private static MariaDbServer server;
    private static MariaDbDatabase database;

    @BeforeAll
    static void start() throws SQLException {
        server = MariaDbServer.own("--log-bin=binlog", "--server-id=1", "--sync-binlog=1");
        database = MariaDbDatabase.of(server);
        Opened.store(database.settings()).close(); // creates the tables
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void expectWarning(String subject, String detail) {
        assertThat(Diagnosed.weaknesses(database.settings())).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.subject()).isEqualTo(subject);
            assertThat(finding.toString()).contains(detail);
        });
    }

    private static Finding replication() {
        return Diagnosed.finding(database.settings(), "replication");
    }

    @Test
    void diagnosis_ofASoundServer_findsNoWeakness() {
        assertThat(Diagnosed.weaknesses(database.settings())).isEmpty();
        assertThat(Diagnosed.finding(database.settings(), "schema").toString())
                .contains(server.isMariaDb() ? "MariaDB" : "MySQL");
        assertThat(replication().toString()).contains("no replica");
    }

    @ParameterizedTest
    @ValueSource(strings = {"innodb_flush_log_at_trx_commit = 2", "sync_binlog = 0"})
    void diagnosis_ofCommitsThatDoNotReachTheDisk_warns(String setting) throws SQLException {
        String variable = setting.replaceAll(" .*", "");
        database.execute("SET GLOBAL " + setting);
        try {
            expectWarning("durability", variable);
        } finally {
            database.execute("SET GLOBAL " + variable + " = 1");
        }
    }

    @Test
    void diagnosis_ofABinaryLogOfStatements_isAnErrorAndNoLockIsGranted() throws SQLException {
        database.execute("SET GLOBAL binlog_format = 'STATEMENT'");
        try (LockStore store = Opened.store(database.settings())) {
            assertThatThrownBy(() -> ask(store, acquire("statements", id())))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("BINLOG_FORMAT");
            assertThat(Diagnosed.errors(store.diagnose(Commands.CALL)))
                    .singleElement()
                    .asString()
                    .contains("isolation", "binlog_format");
        } finally {
            database.execute("SET GLOBAL binlog_format = 'MIXED'");
        }
    }

    @Test
    void diagnosis_ofReplication_saysWhatAFailoverCosts() throws SQLException {
        assumeTrue(server.isMariaDb(), "the statements that set up a replica are MariaDB's");
        try (MariaDbServer replica = MariaDbServer.own("--server-id=2", "--log-bin=binlog", "--sync-binlog=1")) {
            replica.follow(server);
            Await.until(
                    "the replica has the tables",
                    () -> replica.number("SELECT count(*) FROM information_schema.tables"
                                    + " WHERE table_name = 'holdfast_lock'")
                            > 0);
            expectWarning("replication", "replicas: 1");

            server.execute("SET GLOBAL rpl_semi_sync_master_enabled = ON, rpl_semi_sync_master_timeout = 100");
            try {
                expectWarning("replication", "no replica confirms");
                replica.execute("SET GLOBAL rpl_semi_sync_slave_enabled = ON");
                replica.execute("STOP SLAVE IO_THREAD");
                replica.execute("START SLAVE IO_THREAD");
                server.execute(
                        "SET GLOBAL rpl_semi_sync_master_timeout = 30000"); // a confirmation may be late from now on
                Await.until("a grant is confirmed", () -> replication().severity() == Severity.NOTE);
                assertThat(replication().toString()).contains("semi-synchronous");
                assertThat(Diagnosed.weaknesses(database.settings())).isEmpty();

                MariaDbDatabase copy =
                        new MariaDbDatabase(replica, replica.url(database.url().replaceAll(".*/", "")));
                assertThat(Diagnosed.examine(copy.settings()))
                        .filteredOn(each -> each.severity() == Severity.WARNING)
                        .extracting(Finding::toString)
                        .anyMatch(each -> each.contains("this server is a replica"));
            } finally {
                server.execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
            }
        }
    }

    @Test
    void acquire_onAReadOnlyServer_isUnavailableAndDiagnosed() throws SQLException {
        server.makeUser("app", "pw");
        database.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO app");
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.username", "app", "lock.jdbc.password", "pw"))) {
            database.execute("SET GLOBAL read_only = 1");
            try {
                assertThatThrownBy(() -> ask(store, acquire("read-only", id())))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("read-only");
                assertThat(Diagnosed.errors(store.diagnose(Commands.CALL)))
                        .singleElement()
                        .asString()
                        .contains("read-only");
            } finally {
                database.execute("SET GLOBAL read_only = 0");
            }
            granted(store, acquire("read-only", id()));
        }
    }
}
