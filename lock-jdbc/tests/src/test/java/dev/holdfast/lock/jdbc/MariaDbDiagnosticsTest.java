package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the doctor finds about a server with a binary log, and about its replica. */
@Timeout(300)
class MariaDbDiagnosticsTest {

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

    private static List<Finding> weaknesses() {
        return Diagnosed.examine(database.settings()).stream()
                .filter(each -> each.severity() == Severity.ERROR || each.severity() == Severity.WARNING)
                .toList();
    }

    private static void expectWarning(String subject, String detail) {
        assertThat(weaknesses()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.subject()).isEqualTo(subject);
            assertThat(finding.toString()).contains(detail);
        });
    }

    private static Finding finding(MariaDbDatabase of, String subject) {
        return Diagnosed.examine(of.settings()).stream()
                .filter(each -> each.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void diagnosis_ofASoundServer_findsNoWeakness() {
        assertThat(weaknesses()).isEmpty();
        assertThat(finding(database, "schema").toString()).contains("MariaDB");
        assertThat(finding(database, "replication").toString()).contains("no replica");
    }

    @Test
    void diagnosis_ofCommitsThatDoNotReachTheDisk_warns() throws SQLException {
        database.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
        try {
            expectWarning("durability", "innodb_flush_log_at_trx_commit");
        } finally {
            database.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        }
        database.execute("SET GLOBAL sync_binlog = 0");
        try {
            expectWarning("durability", "sync_binlog");
        } finally {
            database.execute("SET GLOBAL sync_binlog = 1");
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
    void diagnosis_ofATableOfAnotherEngine_isAnError() throws SQLException {
        MariaDbDatabase other = MariaDbDatabase.of(server);
        Opened.store(other.settings()).close();
        other.execute("ALTER TABLE holdfast_token_floor ENGINE = MyISAM");
        try (LockStore store = Opened.store(other.settings())) {
            assertThat(Diagnosed.errors(store.diagnose(Commands.CALL)))
                    .singleElement()
                    .asString()
                    .contains("engine", "holdfast_token_floor");
        }
    }

    /** A session whose clock stands still in an hour, as a server's with a wrong clock would show. */
    @Test
    void diagnosis_whenTheClockOfTheServerIsWrong_notesTheDifference() {
        long ahead = Instant.now().getEpochSecond() + 3_600;
        MariaDbDatabase other = new MariaDbDatabase(server, database.url() + "?sessionVariables=timestamp=" + ahead);
        assertThat(finding(database, "clock").severity()).isEqualTo(Severity.OK);
        assertThat(finding(other, "clock")).satisfies(clock -> {
            assertThat(clock.severity()).isEqualTo(Severity.NOTE);
            assertThat(clock.toString()).contains("ahead of");
        });
    }

    @Test
    void diagnosis_ofAServerThatIsTooOld_warns() {
        try (MariaDbServer old = MariaDbServer.own("--version=10.5.20-MariaDB")) {
            MariaDbDatabase its = MariaDbDatabase.of(old);
            assertThat(finding(its, "version")).satisfies(version -> {
                assertThat(version.severity()).isEqualTo(Severity.WARNING);
                assertThat(version.toString()).contains("10.5.20", "10.6");
            });
        }
    }

    @Test
    void diagnosis_ofReplication_saysWhatAFailoverCosts() throws SQLException {
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
                Await.until(
                        "a grant is confirmed",
                        () -> finding(database, "replication").severity() == Severity.NOTE);
                assertThat(finding(database, "replication").toString()).contains("semi-synchronous");
                assertThat(weaknesses()).isEmpty();

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
        database.execute("CREATE USER app IDENTIFIED BY 'pw'");
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
