package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.InTime;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opening: the race for an empty database, and what is created. */
@Tag("first-build")
class OpeningTest {

    /** With a call timeout of 100 ms the driver gives up after a second of silence, as while the machine stands still. */
    private static final Duration DRIVERS_LIMIT = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    @Test
    void open_ofAnEmptyDatabaseByMany_createsTheTablesOnce() throws Exception {
        for (int round = 0; round < 3; round++) {
            openAtOnce(8, Postgres.database().settings());
            openAtOnce(8, Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("round" + round + ".db")));
        }
    }

    private static void openAtOnce(int openers, Map<String, String> settings) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(openers);
        CyclicBarrier start = new CyclicBarrier(openers);
        List<Future<LockReply>> answers = new ArrayList<>();
        for (int opener = 0; opener < openers; opener++) {
            answers.add(threads.submit(() -> {
                start.await();
                try (LockStore store = Opened.store(settings)) {
                    return ask(store, acquire("first of all", id(), Duration.ofHours(1)));
                }
            }));
        }
        int grants = 0;
        for (Future<LockReply> answer : answers) {
            grants += answer.get() instanceof LockReply.Granted ? 1 : 0;
        }
        assertThat(grants).isEqualTo(1);
        threads.shutdown();
    }

    @Test
    void open_whenCreatingTheTablesTakesLongerThanACall_succeeds() throws Exception {
        InTime.check(DRIVERS_LIMIT, () -> {
            openWhileAnotherMakesTheTables();
            return null;
        });
    }

    private static void openWhileAnotherMakesTheTables() throws Exception {
        Postgres database = Postgres.database();
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(" + 0x686f6c6466617374L + ")"); // as if it made them
            CompletableFuture<LockStore> opening = CompletableFuture.supplyAsync(
                    () -> Opened.store(database.settings("lock.call-timeout", "100ms")), OwnThread.EACH);
            String waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event = 'advisory' AND clock_timestamp() - query_start > interval '1500 ms'";
            Await.until("another waits for its turn", () -> {
                assertThat(opening).isNotCompletedExceptionally();
                return database.value(waiting).equals("1");
            });
            statement.execute("SELECT pg_advisory_unlock_all()");
            opened(opening).close();
        }
    }

    /** The store, or an error of the test's if it was not opened. */
    private static LockStore opened(CompletableFuture<LockStore> opening) throws Exception {
        assertThat(opening).succeedsWithin(Await.HANG);
        return Await.result(opening);
    }

    @Test
    void open_whenTheServerIsSilentForLongerThanACallMayTake_succeeds() throws Exception {
        InTime.check(DRIVERS_LIMIT, () -> {
            openOnASilentServer();
            return null;
        });
    }

    private static void openOnASilentServer() throws Exception {
        Postgres database = Postgres.withTables();
        try (PostgresProxy proxy = new PostgresProxy(database.server())) {
            Map<String, String> settings =
                    database.settings("lock.jdbc.url", proxy.url(database.url()), "lock.call-timeout", "100ms");
            PostgresProxy.Hold tables = proxy.holdAnswersTo("holdfast_schema");
            CompletableFuture<LockStore> opening =
                    CompletableFuture.supplyAsync(() -> Opened.store(settings), OwnThread.EACH);
            assertThat(tables.awaitAnswer(Await.HANG.toMillis())).isTrue();
            long silent = System.nanoTime();
            Await.until("two seconds are over", () -> {
                assertThat(opening).isNotCompletedExceptionally();
                return System.nanoTime() - silent > TimeUnit.SECONDS.toNanos(2);
            });
            tables.letGo();
            opened(opening).close();
        }
    }

    @Test
    void pool_whenServerStallsAfterLogin_connectsAgain() throws Exception {
        Postgres database = Postgres.database();
        try (PostgresProxy proxy = new PostgresProxy(database.server())) {
            DriverDataSource direct = new DriverDataSource(proxy.url(database.url()), "the driver", database.login());
            AtomicInteger connections = new AtomicInteger();
            DataSource standing = new AbstractDataSource() {
                @Override
                public Connection getConnection() throws SQLException {
                    if (connections.incrementAndGet() > 1) {
                        proxy.heal();
                        return direct.getConnection();
                    }
                    Connection connection = direct.getConnection();
                    proxy.silence();
                    return connection;
                }
            };
            try (PooledConnections pool =
                    new PooledConnections(standing, ErrorClasses::byState, 1, "SELECT 1", Deadline.in(Commands.CALL))) {
                assertThat(pool.<Boolean>with(Deadline.in(Commands.CALL), connection -> connection.isValid(60)))
                        .isTrue();
            }
        }
    }

    @Test
    void open_whenTablesExist_takesFewRoundTrips() {
        Postgres database = Postgres.withTables();
        Opened.store(database.settings()).close();
        try (PostgresProxy proxy = new PostgresProxy(database.server());
                LockStore store = Opened.store(database.settings("lock.jdbc.url", proxy.url(database.url())))) {
            assertThat(store.capabilities()).contains(Capability.QUEUE, Capability.NOTIFICATIONS);
            // Each connection is set up with three (the driver's, the pool's, our settings); four more check the search
            // path and look for the tables.
            assertThat(proxy.questions()).isLessThanOrEqualTo(3 * proxy.connections() + 4);
        }
    }

    @Test
    void open_createsTheFilesDirectoryForItsOwnerOnly() throws Exception {
        Path file = directory.resolve("a/b/locks.db");
        Opened.sqlite(file).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void sqliteFile_writesAheadAndToTheDisk() throws Exception {
        Path file = directory.resolve("locks.db");
        Opened.sqlite(file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var mode = connection.createStatement().executeQuery("PRAGMA journal_mode")) {
            assertThat(mode.getString(1)).isEqualTo("wal");
        }
    }

    @Test
    void open_whenUrlNamesASchema_createsTheTablesThere() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("CREATE SCHEMA locks");
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.url", database.url() + "?currentSchema=locks"))) {
            AcquisitionId id = id();
            granted(store, acquire("elsewhere", id));
            ask(store, release("elsewhere", id));
        }
        assertThat(database.value("SELECT count(*) FROM locks.holdfast_lock")).isEqualTo("1");
        assertThat(database.value("SELECT to_regclass('public.holdfast_lock')")).isNull();
    }

    @Test
    void namespaces_ofOneDatabase_areIndependent() {
        Map<String, String> settings = Postgres.withTables().settings();
        try (LockStore one = Opened.store("one", settings);
                LockStore two = Opened.store("two", settings)) {
            granted(one, acquire("same name", id()));
            granted(two, acquire("same name", id()));
        }
    }

    @Test
    void maxLifetime_shorterThanThePoolAllows_isRefused() {
        Postgres database = Postgres.withTables();
        OpeningAssertions.opening(database.settings("lock.jdbc.max-lifetime", "29s"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.jdbc.max-lifetime=29s")
                .hasMessageContaining("at least 30s");
    }

    /** A server or proxy that ends idle or old sessions would end it otherwise, with a warning of the pool. */
    @Test
    @Tag("long")
    void connection_thatHasLivedForItsLifetime_isReplaced() throws Exception {
        Postgres database = Postgres.withTables();
        String sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = 'holdfast' AND backend_start %s (SELECT min(made) FROM first)";
        try (LockStore store = Opened.store(database.settings("lock.jdbc.max-lifetime", "30s"))) {
            database.execute("CREATE TABLE first AS SELECT max(backend_start) AS made FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND application_name = 'holdfast'");
            assertThat(store.capabilities()).isNotEmpty();
            Await.until(
                    "a younger connection has taken its place",
                    () -> database.value(sessions.formatted("<=")).equals("0")
                            && database.value(sessions.formatted(">")).equals("1"));
        }
    }
}
