package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/**
 * Locks on data sources of an application: a pool, a plain data source of a driver, and one that is bound to transactions.
 */
@Tag("first-build")
class ApplicationDataSourceTest {

    private final Postgres database = Postgres.database();

    @TempDir
    Path directory;

    @Test
    void poolOfTwo_sufficesToCreateTheTablesAndToWait() throws Exception {
        try (HikariDataSource source = pool(2)) {
            serveWhoWaits(source);
            Await.until(
                    "both connections are given back",
                    () -> source.getHikariPoolMXBean().getActiveConnections() == 0);
        }
    }

    @Test
    void connections_afterTablesAreCreated_areUnchanged() throws SQLException {
        database.execute("CREATE SCHEMA locks");
        try (HikariDataSource source = pool(2, true, "SET search_path = locks, public; SET work_mem = '7MB'")) {
            List<String> before = sessions(source);
            Opened.on(source).close();
            assertThat(sessions(source)).isEqualTo(before).hasSize(2);
        }
        assertThat(database.value("SELECT count(*) FROM locks.holdfast_lock")).isEqualTo("0");
        assertThat(database.value("SELECT to_regclass('public.holdfast_lock')")).isNull();
    }

    /** What makes both connections of a pool differ from new ones. */
    private static List<String> sessions(DataSource source) throws SQLException {
        List<String> sessions = new ArrayList<>();
        try (Connection one = source.getConnection();
                Connection other = source.getConnection()) {
            for (Connection each : List.of(one, other)) {
                try (ResultSet settings = each.createStatement()
                        .executeQuery("SELECT current_user || (SELECT count(*) FROM pg_listening_channels())"
                                + " || string_agg(name || '=' || setting, ';' ORDER BY name)"
                                + " FROM pg_settings WHERE source = 'session'")) {
                    settings.next();
                    sessions.add(settings.getString(1));
                }
            }
        }
        return sessions;
    }

    @Test
    void acquire_whenPoolIsExhausted_namesThePool() throws SQLException {
        Opened.on(plain(database.server().password())).close(); // makes the tables
        try (HikariDataSource source = pool(1);
                LockStore store = Opened.on(source);
                Connection only = source.getConnection()) {
            assertThatThrownBy(() -> store.execute(List.of(acquire("theirs", id())), Duration.ofSeconds(2)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the application's data source handed out no connection in time")
                    .hasMessageContaining("at least two")
                    .hasMessageMatching("[^?]*jdbc:postgresql://127[^?]*"); // the driver's source has forty parameters
            assertThat(only.isClosed()).isFalse();
        }
    }

    @Test
    void postgresSource_withoutPool_servesLocks() throws Exception {
        serveWhoWaits(plain(database.server().password()));
    }

    @Test
    void sqliteSource_withoutPool_servesLocks() throws Exception {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + directory.resolve("plain.db"));
        serveWhoWaits(source);
    }

    @Test
    void acquire_whenSourceIsBoundToATransaction_leavesTheTransactionAlone() throws Exception {
        TransactionBoundDataSource source = new TransactionBoundDataSource(database);
        try (Connection mine = source.begin()) {
            mine.createStatement().execute("CREATE TABLE application (value integer)");
            serveWhoWaits(source);
            mine.rollback();
        }
        assertThat(database.value("SELECT to_regclass('application')")).isNull();
    }

    @Test
    void close_ofLocks_leavesStoreAndSourceOpen() throws Exception {
        try (HikariDataSource source = pool(2)) {
            try (LockStore store = Opened.on(source)) {
                for (int time = 0; time < 2; time++) {
                    try (Locks locks = Opened.locks(store)) {
                        locks.named("kept").acquire();
                    }
                }
            }
            assertThat(source.isClosed()).isFalse();
            try (Connection connection = source.getConnection()) {
                assertThat(connection.isValid(10)).isTrue();
            }
        }
    }

    @Test
    void store_withoutNamespace_usesTheDefaultOfConfigurations() throws Exception {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc", "lock.lease", "10m", "lock.call-timeout", "1m"));
        try (Locks locks = Locks.open(settings);
                Lease held = locks.named("same").acquire();
                LockStore store = Opened.on(plain(database.server().password()));
                Locks others = Locks.open(store, settings)) {
            assertThat(others.named("same").tryAcquire()).isEmpty();
            held.ensureHeld();
        }
    }

    @Test
    void open_whenSourceHasAWrongPassword_pointsToTheSource() {
        assertThatThrownBy(() -> Opened.on(plain("wrong")))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("the application's data source")
                .hasMessageNotContaining("lock.jdbc");
    }

    /** One holds the lock, another waits for it and gets it: signals included. */
    private static void serveWhoWaits(DataSource source) throws Exception {
        try (LockStore store = Opened.on(source);
                Locks one = Opened.locks(store);
                Locks other = Opened.locks(store)) {
            Lease held = one.named("theirs").acquire();
            CompletableFuture<Lease> waiting = other.named("theirs").acquireAsync(Duration.ofMinutes(5));
            try (Lease another = one.named("another").acquire()) { // while a thread waits
                another.ensureHeld();
            }
            assertThat(waiting).isNotDone();
            long token = held.fencingToken();
            assertThat(held.release()).isTrue();
            try (Lease next = Await.result(waiting)) {
                assertThat(next.fencingToken()).isGreaterThan(token);
            }
        }
    }

    private HikariDataSource pool(int size) {
        return pool(size, false, null);
    }

    private HikariDataSource pool(int size, boolean autoCommit, String onEachConnection) {
        HikariConfig config = ApplicationPool.of(database);
        config.setMaximumPoolSize(size);
        config.setAutoCommit(autoCommit);
        config.setConnectionInitSql(onEachConnection);
        return new HikariDataSource(config);
    }

    private PGSimpleDataSource plain(String password) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        source.setUser(database.server().username());
        source.setPassword(password);
        return source;
    }
}
