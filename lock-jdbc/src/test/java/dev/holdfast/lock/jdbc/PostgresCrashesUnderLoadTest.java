package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.Awaiting;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.pulse.Patiently;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * A server that crashes twenty times, and freezes for longer than a lease, while two applications take locks from each other.
 * If this fails, look for a grant that was answered before it was on the disk, or an outage that was answered at all.
 */
class PostgresCrashesUnderLoadTest {

    private static final int CRASHES = 20 * Integer.getInteger("lock.test.scale", 1);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final List<String> NAMES = List.of("one", "two", "three");

    private final Map<String, Witness> witnesses = new ConcurrentHashMap<>();
    private final AtomicInteger grants = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private volatile boolean over;

    @Test
    void nobodyEverHoldsWhatSomebodyElseHolds() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (PostgresServer server = PostgresServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            Postgres database = Postgres.on(server);
            try (PostgresProxy proxy = new PostgresProxy(server);
                    Locks one = open(database, proxy);
                    Locks other = open(database, proxy)) {
                List<Future<Void>> workers = new ArrayList<>();
                for (Locks locks : List.of(one, other)) {
                    for (int worker = 0; worker < 4; worker++) {
                        long own = random.nextLong();
                        workers.add(threads.submit(() -> work(locks, new Random(own))));
                    }
                    workers.add(threads.submit(() -> holdLong(locks)));
                }
                progress("at first");
                int afterCommit = 0;
                for (int crash = 0; crash < CRASHES; crash++) {
                    if (crash % 3 == 0) {
                        PostgresProxy.Hold hold = proxy.holdAnswers();
                        assertThat(hold.awaitAnswer(60_000))
                                .as("a commit whose answer is kept back")
                                .isTrue();
                        afterCommit++;
                    } else {
                        LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(50)));
                    }
                    server.kill();
                    proxy.cut();
                    server.start();
                    progress("after crash " + crash);
                }
                assertThat(afterCommit)
                        .as("crashes between a commit and its answer")
                        .isGreaterThanOrEqualTo(5);

                Lease held = one.named("held in the frost").acquire(Duration.ofMinutes(1));
                server.freeze();
                try {
                    Awaiting.until("the lease is lost to the frozen server", () -> held.state() == LeaseState.LOST);
                    LockSupport.parkNanos(LEASE.toNanos());
                    assertThatThrownBy(() -> one.named("asked in the frost").tryAcquire())
                            .as("who asks a frozen server")
                            .isInstanceOf(LockUnavailableException.class);
                } finally {
                    server.thaw();
                }
                progress("after the frost");
                over = true;
                for (Future<Void> worker : workers) {
                    worker.get();
                }
            }
        } finally {
            over = true;
            threads.shutdownNow();
        }
        Awaiting.until("every loss is told, and once", () -> told.get() == lost.get());
        System.out.println(grants + " grants, " + unanswered + " unanswered, " + lost + " lost");
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
        return Patiently.ask(() -> Locks.open(properties));
    }

    /** All names are granted again, by itself. */
    private void progress(String when) {
        Map<String, Integer> before = new ConcurrentHashMap<>();
        NAMES.forEach(name -> before.put(name, witness(name).count()));
        Awaiting.until(
                "every name is granted again " + when,
                () -> NAMES.stream().allMatch(name -> witness(name).count() > before.get(name) + 3));
    }

    private Void work(Locks locks, Random random) throws Exception {
        while (!over) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            boolean patient = random.nextBoolean();
            try (Lease lease = patient
                    ? locks.named(name).acquire(Duration.ofSeconds(5))
                    : locks.named(name).tryAcquire().orElse(null)) {
                if (lease != null) {
                    witness(name).sees(lease);
                    grants.incrementAndGet();
                }
                LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(3)));
            } catch (LockUnavailableException e) {
                unanswered.incrementAndGet();
            } catch (LockTimeoutException e) {
                // the others had their turns; so be it
            }
        }
        return null;
    }

    /** Holds on, renewal by renewal, until the lease is lost; then hears of it and begins anew. */
    private Void holdLong(Locks locks) throws Exception {
        while (!over) {
            try (Lease lease = locks.named("long").acquire(Duration.ofSeconds(5))) {
                witness("long").sees(lease);
                lease.onLost(loss -> told.incrementAndGet());
                while (lease.isHeld() && !over) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
                if (!lease.isHeld()) {
                    lost.incrementAndGet();
                }
            } catch (LockUnavailableException e) {
                unanswered.incrementAndGet();
            } catch (LockTimeoutException e) {
                // the other one holds on
            }
        }
        return null;
    }

    private Witness witness(String name) {
        return witnesses.computeIfAbsent(name, Witness::new);
    }

    /** Sees every lease of a name, in this one process whose clock all holders share. */
    private static final class Witness {
        private final String name;
        private Lease latest;
        private int count;

        Witness(String name) {
            this.name = name;
        }

        synchronized void sees(Lease lease) {
            if (!lease.isHeld()) {
                return; // lost on its way here
            }
            if (latest != null) {
                assertThat(latest.isHeld())
                        .as("the lease of %s before this one is still held", name)
                        .isFalse();
                assertThat(lease.fencingToken()).as("token of " + name).isGreaterThan(latest.fencingToken());
            }
            latest = lease;
            count++;
        }

        synchronized int count() {
            return count;
        }
    }
}
