package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that crashes repeatedly, and freezes for longer than a lease, while two applications contend for a lock. If
 * this fails, look for a grant that was replied to before it was on the disk, or for an outage that was replied to at all.
 */
@Tag("second-build")
class PostgresCrashesUnderLoadTest {

    private static final int CRASHES = 4 * Integer.getInteger("lock.test.scale", 1);
    private static final int CRASHES_AFTER_COMMIT = CRASHES / 2;

    /** Between two crashes. */
    private static final int HOLDS = 60;

    /** A release that was answered may be lost in a crash: then the lock is free when its lease is over. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** For longer than it takes the server to start again. */
    private static final Duration LONG = Duration.ofSeconds(4);

    private static final List<String> NAMES = List.of("one", "two", "three");

    private final History history = new History();
    private volatile boolean isOver;

    @Test
    void lock_whileServerCrashesAndFreezes_hasOneHolder() throws Exception {
        long seed = System.nanoTime();
        PostgresServer server = PostgresServer.own();
        assumeThat(server.canFail()).as("this server may be broken").isTrue();
        Postgres database = Postgres.withTables(server).lazy();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (server;
                PostgresProxy proxy = new PostgresProxy(server);
                Locks one = open(database, proxy);
                Locks other = open(database, proxy);
                Contenders contenders = new Contenders(history, NAMES, seed)) {
            contenders.begin("one", one, 4);
            contenders.begin("other", other, 4);
            List<Future<?>> holders = List.of(
                    threads.submit(() -> holdLong(one, history.claimsOf("long one"))),
                    threads.submit(() -> holdLong(other, history.claimsOf("long other"))));
            contenders.awaitProgress("at first");
            crash(server, proxy, contenders, new Random(seed));
            freeze(server, one);
            contenders.awaitProgress("after the frost");
            isOver = true;
            contenders.end();
            for (Future<?> holder : holders) {
                Await.result(holder);
            }
            history.verify(CRASHES * HOLDS);
        } catch (AssertionError e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        } finally {
            isOver = true;
            threads.shutdownNow();
        }
    }

    /** Holds on, crash by crash, until the lease is lost; and begins anew. */
    private @Nullable Void holdLong(Locks locks, Claims claims) throws Exception {
        while (!isOver) {
            try (Lease lease = locks.named("long").acquire(Duration.ofSeconds(2))) {
                claims.hold(lease, LONG.toNanos());
            } catch (LockUnavailableException | LockTimeoutException e) {
                // it asks again
            }
        }
        return null;
    }

    private void crash(PostgresServer server, PostgresProxy proxy, Contenders contenders, Random random)
            throws Exception {
        for (int crash = 0; crash < CRASHES; crash++) {
            if (crash < CRASHES_AFTER_COMMIT) {
                assertThat(proxy.holdAnswersTo("").awaitAnswer(Await.HANG.toMillis()))
                        .as("a commit whose answer is kept back")
                        .isTrue();
            } else {
                LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(50)));
            }
            server.kill();
            proxy.cut();
            server.start();
            contenders.awaitProgress("after crash " + crash);
            int before = history.holds().size();
            Await.until("more holds", () -> history.holds().size() > before + HOLDS);
        }
    }

    private static void freeze(PostgresServer server, Locks locks) throws Exception {
        Lease held = Await.lease(locks.named("held in the frost"));
        server.freeze();
        try {
            Await.until("the lease is lost to the frozen server", () -> held.state() == LeaseState.LOST);
            LockSupport.parkNanos(LEASE.toNanos()); // until those that others had are over, too
            assertThatThrownBy(() -> locks.named("asked in the frost").tryAcquire())
                    .as("a frozen server is asked")
                    .isInstanceOf(LockUnavailableException.class);
        } finally {
            server.thaw();
        }
    }

    private static Locks open(Postgres database, PostgresProxy proxy) {
        Properties properties = new Properties();
        properties.putAll(database.settings(
                "lock.provider",
                "jdbc",
                "lock.jdbc.url",
                proxy.url(database.url()),
                "lock.lease",
                LEASE.toMillis() + "ms",
                "lock.call-timeout",
                "600ms"));
        return LocksOpener.open(properties);
    }
}
