package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.jdbc.mysql.MySqlDialect;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings of sessions, of the server and of the URL that make no difference: time zones, drivers, parameters. */
@Tag("second-build")
@Timeout(300)
class MariaDbSessionsTest {

    private static RowDatabase database;

    @BeforeAll
    static void makeDatabase() {
        database = MariaDbDatabase.of(MariaDbServer.shared());
    }

    @Test
    void clock_whateverTheTimeZonesOfSessions_isTheSame() {
        String url = database.settings().get("lock.jdbc.url") + "?sessionVariables=time_zone=";
        try (LockStore west = Opened.store(database.settings("lock.jdbc.url", url + "'-10:00'"));
                LockStore east = Opened.store(database.settings("lock.jdbc.url", url + "'+13:00'"))) {
            AcquisitionId id = id();
            long token = granted(east, acquire("zoned", id)).token();
            assertThat(Instant.ofEpochMilli(token / 1_000))
                    .isBetween(Instant.now().minusSeconds(600), Instant.now());
            assertThat(ask(west, acquire("zoned", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(granted(west, acquire("zoned", id)).remaining()).isBetween(Duration.ofMillis(1), Commands.LEASE);
            assertThat(ask(west, release("zoned", id))).isEqualTo(new LockReply.Released(true));
            granted(east, acquire("zoned", id()));
        }
    }

    /** The same local time comes twice when the clocks go back, here on 2026-10-25 in Berlin. */
    @Test
    void clock_whenTheZoneChangesToWinterTime_goesOnByTheTimeThatPasses() throws SQLException {
        long before = 1_792_889_999; // 02:59:59 in summer time
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            String clock = "SELECT " + new MySqlDialect(false).clock();
            statement.execute("SET time_zone = '+02:00', timestamp = " + before);
            assertThat(RowDatabase.number(statement, clock)).isEqualTo(before * 1_000_000);
            statement.execute("SET time_zone = '+01:00', timestamp = " + (before + 1));
            assertThat(RowDatabase.number(statement, clock)).isEqualTo((before + 1) * 1_000_000);
        }
    }

    @Test
    void store_byTheDriverOfMySql_excludesThatOfMariaDb() {
        String url = database.settings().get("lock.jdbc.url").replace("jdbc:mariadb:", "jdbc:mysql:");
        try (LockStore mysql = Opened.store(database.settings("lock.jdbc.url", url));
                LockStore mariadb = Opened.store(database.settings())) {
            AcquisitionId id = id();
            granted(mysql, acquire("two drivers", id));
            assertThat(ask(mariadb, acquire("two drivers", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(ask(mysql, release("two drivers", id))).isEqualTo(new LockReply.Released(true));
            granted(mariadb, acquire("two drivers", id()));
            assertThat(ask(mysql, acquire("two drivers", id()))).isInstanceOf(LockReply.Busy.class);
        }
    }

    /** MySQL has one limit for all silence: what suits a transaction would end the idle connections of the pool. */
    @ParameterizedTest
    @ValueSource(strings = {"useServerPrepStmts=true", "allowMultiQueries=false", "allowMultiQueries=true"})
    void session_afterATransaction_hasTheServersLimitForSilence(String parameter) throws SQLException {
        assumeFalse(MariaDbServer.shared().isMariaDb());
        RowDatabase own = MariaDbDatabase.of(MariaDbServer.shared());
        String session =
                " FROM performance_schema.variables_by_thread JOIN performance_schema.threads USING (thread_id)"
                        + " WHERE variable_name = 'wait_timeout' AND processlist_db = DATABASE()"
                        + " AND processlist_id <> CONNECTION_ID()";
        try (LockStore store =
                Opened.store(own.settings("lock.jdbc.url", own.settings().get("lock.jdbc.url") + "?" + parameter))) {
            granted(store, acquire(parameter, id()));
            assertThat(own.number("SELECT count(*)" + session)).isPositive();
            assertThat(own.number("SELECT MIN(variable_value + 0)" + session))
                    .isEqualTo(own.number("SELECT @@GLOBAL.wait_timeout"));
        }
    }

    /** With either parameter a call sends one statement only. */
    @ParameterizedTest
    @ValueSource(strings = {"useServerPrepStmts=true", "allowMultiQueries=false"})
    void acquire_byAUrlThatForbidsSeveralStatementsAtOnce_sendsThemSingly(String parameter) {
        try (LockStore store = Opened.store(
                database.settings("lock.jdbc.url", database.settings().get("lock.jdbc.url") + "?" + parameter))) {
            AcquisitionId id = id();
            granted(store, acquire(parameter, id));
            assertThat(ask(store, release(parameter, id))).isEqualTo(new LockReply.Released(true));
        }
    }

    /** A limit for the rows of each result, by the server or by MySQL's driver, hides shares that are taken. */
    @ParameterizedTest
    @CsvSource({"jdbc:mariadb:, ?sessionVariables=sql_select_limit=10", "jdbc:mysql:, ?maxRows=10"})
    void semaphore_bySessionsThatLimitResults_grantsNoMorePermitsThanThereAre(String driver, String parameters) {
        RowDatabase own = MariaDbDatabase.of(MariaDbServer.shared());
        String limited = own.settings().get("lock.jdbc.url").replace("jdbc:mariadb:", driver) + parameters;
        Map<String, String> settings = own.settings("lock.jdbc.url", limited);
        try (LockStore store = Opened.store(settings);
                HikariDataSource source = new HikariDataSource(ApplicationPool.of(settings));
                LockStore applications = Opened.on(source)) {
            expectEleven(store);
            expectEleven(applications);
            assertThat(store.list("permits", CALL))
                    .singleElement()
                    .satisfies(lock -> assertThat(lock.holders()).hasSize(11));
        }
    }

    /** Where an empty text is none, the rows of new locks must not have one. */
    @Test
    void acquire_bySessionsThatTakeEmptyTextsForNull_isGranted() {
        assumeTrue(MariaDbServer.shared().isMariaDb());
        try (LockStore store = Opened.store(database.settings(
                "lock.jdbc.url", url("?sessionVariables=sql_mode='STRICT_ALL_TABLES,EMPTY_STRING_IS_NULL'")))) {
            granted(store, acquire("without text", id()));
        }
    }

    private static void expectEleven(LockStore store) {
        Share share = new Share(1, 11);
        for (int permit = 0; permit < 11; permit++) {
            granted(store, permit(share));
        }
        assertThat(ask(store, permit(share))).isInstanceOf(LockReply.Busy.class);
    }

    private static LockCommand.Acquire permit(Share share) {
        return new LockCommand.Acquire(new LockName("permits"), id(), LEASE, false, 0, "a test", share);
    }

    /** The next transaction, which would begin with a COMMIT, keeps a release that is a statement by itself from others. */
    @Test
    void release_bySessionsThatChainTransactions_isCommitted() throws SQLException {
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.url", url("?sessionVariables=completion_type=1")))) {
            for (int round = 0; round < 5; round++) {
                AcquisitionId id = id();
                granted(store, acquire("chained", id));
                assertThat(ask(store, release("chained", id))).isEqualTo(new LockReply.Released(true));
                assertThat(LockedRow.isLocked(database, "chained")).isFalse();
            }
        }
    }

    @Test
    void doctor_bySessionsThatUpdateByKeysOnly_findsTheRights() {
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.url", url("?sessionVariables=sql_safe_updates=1")))) {
            assertThat(store.diagnose(CALL)).extracting(Finding::subject).doesNotContain("rights");
        }
    }

    private static String url(String parameters) {
        return database.settings().get("lock.jdbc.url") + parameters;
    }
}
