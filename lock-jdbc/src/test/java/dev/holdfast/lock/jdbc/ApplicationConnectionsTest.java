package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application's own data source, with settings that suit the application. */
@Tag("first-build")
class ApplicationConnectionsTest {

    private static final Namespace NAMESPACE = new Namespace("callers");

    @TempDir
    Path directory;

    @Test
    void pool_whenConnectionsHaveOtherSettings_servesLocks() throws SQLException {
        Postgres database = Postgres.withTables();
        HikariConfig config = ApplicationPool.of(database);
        config.setMaximumPoolSize(3);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        try (HikariDataSource source = new HikariDataSource(config)) {
            try (LockStore store = Opened.on(source, NAMESPACE)) {
                serves(store);
            }
            assertThat(source.isClosed()).isFalse();
            for (int each = 0; each < 3; each++) {
                try (Connection connection = source.getConnection()) {
                    assertThat(connection.getAutoCommit()).isFalse();
                    assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
                    assertThat(connection.getNetworkTimeout()).isZero();
                    connection.rollback();
                }
            }
        }
    }

    @Test
    void session_whenLentForATransaction_isGivenBackUnchanged() throws SQLException {
        Postgres database = Postgres.withTables();
        database.execute("ALTER DATABASE " + database.url().replaceAll(".*/", "")
                + " SET default_transaction_isolation = 'repeatable read'");
        try (TransactionPooler lent = new TransactionPooler(database)) {
            try (LockStore store = Opened.on(lent, NAMESPACE)) {
                serves(store);
            }
            Await.until(
                    "the last pruning has ended",
                    () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND pid <> pg_backend_pid() AND state <> 'idle'")
                            .equals("0"));
            for (Connection session : lent.sessions()) {
                try (ResultSet changed = session.createStatement()
                        .executeQuery("SELECT string_agg(name, ', ') FROM pg_settings WHERE source = 'session'"
                                + " AND name NOT IN ('client_encoding', 'DateStyle', 'TimeZone', 'extra_float_digits',"
                                // What the driver sets, and each transaction has.
                                + " 'application_name', 'transaction_isolation', 'transaction_read_only')")) {
                    changed.next();
                    assertThat(changed.getString(1)).isNull();
                }
            }
        }
    }

    @Test
    void sqliteSource_afterCall_getsItsSettingsBack() throws SQLException {
        HikariConfig config =
                ApplicationPool.of(Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("callers.db")));
        config.setMaximumPoolSize(4);
        config.setConnectionInitSql("PRAGMA synchronous = OFF");
        try (HikariDataSource source = new HikariDataSource(config)) {
            try (LockStore store = Opened.on(source, NAMESPACE)) {
                serves(store);
            }
            try (Connection connection = source.getConnection();
                    ResultSet synchronous = connection.createStatement().executeQuery("PRAGMA synchronous")) {
                assertThat(synchronous.getInt(1)).isZero();
            }
        }
    }

    @Test
    void call_whenThreadHasATransaction_leavesItAlone() throws SQLException {
        Postgres database = Postgres.withTables();
        database.execute("CREATE TABLE application (value integer)");
        TransactionBoundDataSource source = new TransactionBoundDataSource(database);
        try (LockStore store = Opened.on(source, NAMESPACE)) {
            try (Connection mine = source.begin()) {
                mine.createStatement().execute("INSERT INTO application VALUES (1)");
                AcquisitionId id = id();
                granted(store, acquire("theirs", id));
                ask(store, release("theirs", id));
                mine.rollback();
                assertThat(mine.getAutoCommit()).isFalse();
            }
            assertThat(database.value("SELECT count(*) FROM application")).isEqualTo("0");
        }
    }

    /** The command is committed: its reply is not lost with the connection. */
    @Test
    void reply_onAConnectionThatCannotBeRestored_isReturned() throws SQLException {
        Postgres database = Postgres.withTables();
        try (TransactionBoundDataSource source =
                        new TransactionBoundDataSource(() -> withoutRestoration(database.connect()));
                LockStore store = Opened.on(source, NAMESPACE)) {
            AcquisitionId id = id();
            granted(store, acquire("unrestored", id));
            assertThat(ask(store, release("unrestored", id))).isEqualTo(new LockReply.Released(true));
        }
    }

    /** It waits as long as it is told to, but never without a limit again. */
    private static Connection withoutRestoration(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                ApplicationConnectionsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("setNetworkTimeout") && arguments[1].equals(0)) {
                        throw new SQLException("for a test");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void connection_afterFailedCall_getsItsSettingsBack() throws SQLException {
        Postgres database = Postgres.withTables();
        TransactionBoundDataSource source = new TransactionBoundDataSource(database);
        try (LockStore store = Opened.on(source, NAMESPACE)) {
            AcquisitionId id = id();
            granted(store, acquire("blocked", id));
            try (Connection stranger = database.connect()) {
                stranger.setAutoCommit(false);
                stranger.createStatement().execute("SELECT FROM holdfast_lock FOR UPDATE");
                Await.until("the server gives up, and not its caller a moment later", () -> {
                    LockUnavailableException failure = catchThrowableOfType(
                            LockUnavailableException.class,
                            () -> store.execute(List.of(renew("blocked", id, LEASE)), Duration.ofSeconds(1)));
                    return failure.getCause() instanceof SQLException cause && "55P03".equals(cause.getSQLState());
                });
            }
            assertThat(source.last().isClosed()).isFalse();
            assertThat(source.last().getAutoCommit()).isFalse();
        }
    }

    @Test
    void call_whenGivenUpBeforeAConnection_neverReachesTheServer() throws Exception {
        Postgres database = Postgres.withTables();
        HikariConfig config = ApplicationPool.of(database);
        ExecutorService callers = Executors.newCachedThreadPool();
        try (DelayedDataSource source = new DelayedDataSource(config);
                LockStore store = Opened.on(source, NAMESPACE)) {
            source.holdUp();
            try {
                List<Future<List<LockReply>>> late = new ArrayList<>();
                for (int call = 0; call < 50; call++) {
                    List<LockCommand> commands = List.of(acquire("late " + call, id()));
                    late.add(callers.submit(() -> store.execute(commands, Duration.ofMillis(500))));
                }
                for (Future<List<LockReply>> each : late) {
                    assertThatThrownBy(each::get).hasCauseInstanceOf(LockUnavailableException.class);
                }
                callers.shutdown();
                assertThat(callers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            } finally {
                source.letPass();
            }
            granted(store, acquire("live", id())); // behind all of them, had they kept their places
            Await.until(
                    "all connections are given back",
                    () -> source.getHikariPoolMXBean().getActiveConnections() == 0);
            assertThat(database.value("SELECT string_agg(name, ',') FROM holdfast_lock"))
                    .isEqualTo("live");
        } finally {
            callers.shutdownNow();
        }
    }

    private static void serves(LockStore store) {
        for (int round = 0; round < 10; round++) {
            AcquisitionId id = id();
            granted(store, acquire("theirs", id));
            granted(store, renew("theirs", id, LEASE));
            assertThat(ask(store, release("theirs", id))).isEqualTo(new LockReply.Released(true));
        }
        store.close();
        assertThatThrownBy(() -> store.execute(List.of(acquire("theirs", id())), Commands.CALL))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void locks_whenOpenedOnTheStore_grant() throws Exception {
        HikariConfig config =
                ApplicationPool.of(Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks.db")));
        try (HikariDataSource source = new HikariDataSource(config);
                LockStore store = Opened.on(source, NAMESPACE);
                Locks locks = Opened.locks(store);
                Lease lease = locks.named("theirs").acquire()) {
            lease.ensureHeld();
        }
    }
}
