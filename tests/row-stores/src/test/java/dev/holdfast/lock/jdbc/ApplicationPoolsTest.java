package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The application's own pool of connections to MariaDB or H2, with settings that suit the application. */
@Tag("second-build")
@Timeout(300)
class ApplicationPoolsTest {

    private static final Namespace NAMESPACE = new Namespace("callers");

    /** A database, and a query for the settings of a session that a store changes. */
    static Stream<Arguments> databases() {
        return Stream.of(
                Arguments.of(
                        MariaDbDatabase.of(MariaDbServer.shared()),
                        // The isolation has another name in MySQL, and two in a newer MariaDB.
                        "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation',"
                                + " 'innodb_lock_wait_timeout', 'time_zone', 'wait_timeout', 'autocommit')"),
                Arguments.of(
                        H2Database.inMemory(),
                        "SELECT CONCAT(isolation_level, LOCK_TIMEOUT(), CURRENT_SCHEMA) FROM"
                                + " information_schema.sessions WHERE session_id = SESSION_ID()"));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void connections_afterCallsAndWaits_areUnchanged(RowDatabase database, String query) throws Exception {
        Opened.store(database.settings()).close(); // makes the tables
        try (HikariDataSource source = pool(database, 2)) {
            String before = settings(source, query);
            try (LockStore store = Opened.on(source, NAMESPACE)) {
                AcquisitionId id = id();
                granted(store, acquire("theirs", id));
                granted(store, renew("theirs", id, Commands.LEASE));
                assertThat(ask(store, queue("theirs", id()))).isInstanceOf(LockReply.Queued.class);
                assertThat(ask(store, release("theirs", id))).isEqualTo(new LockReply.Released(true));
                serveWaiter(store);
            }
            Await.until(
                    "both connections are given back",
                    () -> source.getHikariPoolMXBean().getActiveConnections() == 0);
            assertThat(settings(source, query)).isEqualTo(before);
        }
    }

    /** The poller of a process without waiters sends nothing: no limit for a call may end its session. */
    @Test
    void connectionOfThePoller_silentForLongerThanACall_isGivenBackAliveAndUnchanged() throws Exception {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        Opened.store(database.settings()).close(); // makes the tables
        String sessions = " FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";
        String settings = "SHOW SESSION VARIABLES WHERE Variable_name IN ('pseudo_thread_id', 'wait_timeout',"
                + " 'innodb_lock_wait_timeout', 'autocommit')"; // the first is the session's id
        ReceivedNotifications heard = new ReceivedNotifications();
        try (HikariDataSource source = pool(database, 1);
                LockStore store = Opened.on(source, NAMESPACE)) {
            String before = settingsOfOne(source, settings);
            try (AutoCloseable subscription = store.subscribe(heard)) {
                assertThat(subscription).isNotNull();
                heard.awaitAny();
                Await.until(
                        "the only session is silent for longer than a poll may take, or has ended",
                        () -> database.number("SELECT count(*)" + sessions) == 0
                                || database.number("SELECT MIN(time)" + sessions) > 4);
            }
            assertThat(settingsOfOne(source, settings)).isEqualTo(before);
        }
    }

    private static String settingsOfOne(HikariDataSource source, String query) throws SQLException {
        try (Connection only = source.getConnection()) {
            return settings(only, query);
        }
    }

    /** Of both connections, which differ from new ones. */
    private static String settings(HikariDataSource source, String query) throws SQLException {
        try (Connection one = source.getConnection();
                Connection other = source.getConnection()) {
            return settings(one, query) + "; " + settings(other, query);
        }
    }

    private static String settings(Connection connection, String query) throws SQLException {
        assertThat(connection.getAutoCommit()).isFalse();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            StringBuilder settings = new StringBuilder();
            while (row.next()) {
                settings.append(row.getString(row.getMetaData().getColumnCount()))
                        .append(' ');
            }
            assertThat(settings).isNotEmpty();
            return settings + connection.getCatalog() + " " + connection.getTransactionIsolation() + " "
                    + connection.getNetworkTimeout();
        } finally {
            connection.rollback();
        }
    }

    /** One holds the lock, another waits for it and gets it: the poller takes the second connection. */
    private static void serveWaiter(LockStore store) throws Exception {
        try (Locks one = Opened.locks(store);
                Locks other = Opened.locks(store)) {
            Lease held = one.named("waited for").acquire();
            CompletableFuture<Lease> waiting = other.named("waited for").acquireAsync(Duration.ofMinutes(5));
            try (Lease another = one.named("another").acquire()) { // while a thread waits
                another.ensureHeld();
            }
            assertThat(waiting).isNotDone();
            assertThat(held.release()).isTrue();
            Await.result(waiting).close();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void acquire_whenTheirPoolIsExhausted_namesThePool(RowDatabase database, String ignored) throws SQLException {
        Opened.store(database.settings()).close(); // makes the tables
        try (HikariDataSource source = pool(database, 1);
                LockStore store = Opened.on(source, NAMESPACE);
                Connection only = source.getConnection()) {
            assertThatThrownBy(() -> store.execute(List.of(acquire("none", id())), Duration.ofSeconds(3)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the application's data source handed out no connection in time");
            assertThat(only.isClosed()).isFalse();
        }
    }

    /** With settings that suit an application: no autocommit, and another isolation. */
    static HikariDataSource pool(RowDatabase database, int size) {
        HikariConfig config = ApplicationPool.of(database.settings());
        config.setMaximumPoolSize(size);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        return new HikariDataSource(config);
    }
}
