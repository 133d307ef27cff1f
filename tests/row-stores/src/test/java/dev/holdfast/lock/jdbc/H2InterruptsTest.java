package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Interrupts of threads that use locks in an embedded H2, whose files Java closes when a thread that writes them is interrupted.
 * The application has the same database open, on a connection of its own.
 */
@Tag("second-build")
@Timeout(300)
class H2InterruptsTest {

    private static final int INTERRUPTS = 40 * Integer.getInteger("lock.test.scale", 1);

    @TempDir
    Path directory;

    private String url;
    private Connection application;

    @BeforeEach
    void open() throws Exception {
        url = "jdbc:h2:file:" + directory.resolve("locks") + ";WRITE_DELAY=0";
        application = DriverManager.getConnection(url, "sa", "");
        application.createStatement().execute("CREATE TABLE application (number INTEGER)");
    }

    @AfterEach
    void close() throws Exception {
        application.close();
    }

    private Properties settings() {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.jdbc.url", url);
        settings.setProperty("lock.jdbc.username", "sa");
        settings.setProperty("lock.lease", "10m");
        settings.setProperty("lock.call-timeout", "1m");
        return settings;
    }

    @Test
    void database_whenThreadsThatAcquireAndReleaseAreInterrupted_staysOpen() throws Exception {
        try (Locks locks = Locks.open(settings())) {
            interruptRepeatedly(locks);
        }
    }

    @Test
    void database_whenThreadsThatUseTheApplicationsSourceAreInterrupted_staysOpen() throws Exception {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url);
        source.setUser("sa");
        try (LockStore store = JdbcLockStore.of(source);
                Locks locks = Opened.locks(store)) {
            interruptRepeatedly(locks);
        }
    }

    @Test
    void database_whenAnInterruptedThreadOpensAndClosesLocks_staysOpen() throws Exception {
        Thread.currentThread().interrupt();
        try {
            Locks.open(settings()).close();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        useDatabase();
    }

    @Test
    void call_ofAnInterruptedThread_isExecutedAndLeavesItInterrupted() throws Exception {
        try (LockStore store = Opened.store(Map.of("lock.jdbc.url", url, "lock.jdbc.username", "sa"))) {
            Thread.currentThread().interrupt();
            granted(store, acquire("granted all the same", id()));
            assertThat(Thread.interrupted()).isTrue();
        }
        useDatabase();
    }

    private void interruptRepeatedly(Locks locks) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int round = 0; round < INTERRUPTS; round++) {
            AtomicInteger holds = new AtomicInteger();
            Thread victim = new Thread(() -> holdUntilInterrupted(locks.named("victim"), holds, failure), "victim");
            victim.start();
            Await.until("the lock is taken and given back", () -> holds.get() >= 2 || failure.get() != null);
            LockSupport.parkNanos(random.nextInt(3_000_000));
            victim.interrupt();
            victim.join();
            assertThat(failure.get())
                    .as("after interrupt %d, with seed %d", round, seed)
                    .isNull();
            useDatabase();
            try (Lease lease = locks.named("bystander").acquire()) {
                lease.ensureHeld();
            }
        }
    }

    private static void holdUntilInterrupted(
            DistributedLock lock, AtomicInteger holds, AtomicReference<Throwable> failure) {
        try {
            while (true) {
                try (Lease lease = lock.acquire()) {
                    lease.ensureHeld();
                    holds.incrementAndGet();
                }
            }
        } catch (InterruptedException e) {
            // as wanted
        } catch (RuntimeException e) {
            failure.set(e);
        }
    }

    /** On the application's connection, which ends when the database is closed, and on a new one. */
    private void useDatabase() throws Exception {
        try (Statement statement = application.createStatement()) {
            statement.execute("INSERT INTO application VALUES (1)");
        }
        try (Connection another = DriverManager.getConnection(url, "sa", "");
                Statement statement = another.createStatement()) {
            statement.execute("INSERT INTO application VALUES (2)");
        }
    }
}
