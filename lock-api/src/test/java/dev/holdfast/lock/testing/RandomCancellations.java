package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.ForwardingLockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Cancels acquires without a thread at random points, and checks that nothing of them stays at the store: no holder, and no place in
 * the queue. The store is in memory, and its time stands still, so that nothing ends there by itself.
 *
 * <p>A point is before or after a command of the acquiring process reaches the store, before or after a notification, or any instant
 * in between. Meanwhile the lock is free, or held by this process or another one, which then releases it.
 */
public final class RandomCancellations {

    /** Acquires without a thread. */
    @FunctionalInterface
    public interface Acquiring {

        /**
         * Begins to acquire the lock. The body, run while holding it, calls {@code held}, and then ends or does not end by itself.
         *
         * @return cancels the acquire, or the body if that is running; may be called several times
         */
        Runnable begin(DistributedLock lock, Runnable held, boolean endless);
    }

    private static final int ROUNDS = 400 * Integer.getInteger("lock.test.scale", 1);
    /** An acquire and a release pass fewer points than this. */
    private static final int POINTS = 14;

    private static final int LONGEST_SPIN = 20_000;

    private final long seed = Seeds.any();
    private final Random random = new Random(seed);
    private final MemorySpace space = new MemorySpace(InstantSource.fixed(Instant.EPOCH));
    private final LockStore plain = space.open();
    private final WatchedPoints points = new WatchedPoints();
    private final Function<Locks, Acquiring> acquiring;

    private int runs;
    private int queued;
    private int grantedLate;
    private int withdrawn;

    private RandomCancellations(Function<Locks, Acquiring> acquiring) {
        this.acquiring = acquiring;
    }

    /** Runs hundreds of rounds. A failure names the seed, which repeats the choices, but not the order of the threads. */
    public static void run(Acquiring acquiring) {
        runOn(ours -> acquiring);
    }

    /** As {@link #run(Acquiring)}, with the locks of the acquiring process. */
    public static void runOn(Function<Locks, Acquiring> acquiring) {
        new RandomCancellations(acquiring).run();
    }

    private void run() {
        try (Locks ours = Locks.open(points, new Properties());
                Locks others = Locks.open(plain, new Properties())) {
            Acquiring how = acquiring.apply(ours);
            for (int round = 0; round < ROUNDS; round++) {
                run("lock-" + round, how, ours, others);
            }
            assertThat(inUse("")).as(where("locks in use at the end")).isEmpty();
        }
        assertThat(List.of(runs, queued, grantedLate, withdrawn))
                .as(where("rounds whose body ran, that queued, that were granted late, that were withdrawn"))
                .allMatch(count -> count > 0);
    }

    private void run(String name, Acquiring how, Locks ours, Locks others) {
        DistributedLock lock = share(ours, name);
        Lease obstacle = obstacle(name, ours, others);
        boolean atPoint = random.nextBoolean();
        CompletableFuture<Runnable> cancel = new CompletableFuture<>();
        points.arm(atPoint ? 1 + random.nextInt(POINTS) : 0, cancel);
        AtomicInteger held = new AtomicInteger();
        cancel.complete(how.begin(lock, held::incrementAndGet, random.nextBoolean()));

        spin();
        if (obstacle != null && random.nextInt(4) > 0) {
            obstacle.close();
        }
        if (!atPoint) {
            spin();
            cancel.join().run();
        } else {
            Await.until(
                    where(name) + ": the point is reached, or all is quiet",
                    () -> points.isReached() || points.isQuiet());
            cancel.join().run();
        }
        if (obstacle != null) {
            obstacle.close();
        }
        Await.until(
                where(name) + ": nothing is at the store",
                () -> inUse(name).findAny().isEmpty());
        count(held.get() > 0);
    }

    private void count(boolean hasRun) {
        runs += hasRun ? 1 : 0;
        withdrawn += hasRun ? 0 : 1;
        queued += points.hasWaited ? 1 : 0;
        grantedLate += points.wasGranted && !hasRun ? 1 : 0;
    }

    private DistributedLock share(Locks locks, String name) {
        return switch (random.nextInt(3)) {
            case 0 -> locks.named(name);
            case 1 -> locks.named(name).shared();
            default -> locks.semaphore(name, 3).permits(1 + random.nextInt(3));
        };
    }

    private Lease obstacle(String name, Locks ours, Locks others) {
        return switch (random.nextInt(3)) {
            case 0 -> null;
            case 1 -> ours.named(name).tryAcquire().orElseThrow();
            default -> others.named(name).tryAcquire().orElseThrow();
        };
    }

    private void spin() {
        for (int turn = random.nextInt(LONGEST_SPIN); turn > 0; turn--) {
            Thread.onSpinWait();
        }
    }

    /** The locks with a holder or a waiter. */
    private Stream<LockInfo> inUse(String prefix) {
        return plain.list(prefix, Duration.ofSeconds(1))
                .filter(each -> !each.holders().isEmpty() || !each.waiters().isEmpty());
    }

    private String where(String what) {
        return what + " (seed " + seed + ", to repeat with -Dlock.test.seed=" + seed + ")";
    }

    /** The store of the acquiring process. */
    private final class WatchedPoints extends ForwardingLockStore {

        private final AtomicInteger left = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();
        private volatile CompletableFuture<Runnable> cancel = new CompletableFuture<>();
        private volatile Thread beginning = Thread.currentThread();
        private volatile long since = System.nanoTime();
        private volatile boolean hasWaited;
        private volatile boolean wasGranted;

        WatchedPoints() {
            super(plain);
        }

        /**
         * For the acquire that this thread begins.
         *
         * @param point the number of the point at which to cancel; 0 for none
         */
        void arm(int point, CompletableFuture<Runnable> how) {
            hasWaited = false;
            wasGranted = false;
            cancel = how;
            beginning = Thread.currentThread();
            left.set(point);
            since = System.nanoTime();
        }

        boolean isReached() {
            return left.get() <= 0;
        }

        /** Whether no call is under way, and none was for a while: the point lies behind the last one. */
        boolean isQuiet() {
            return calls.get() == 0 && System.nanoTime() - since > 1_000_000;
        }

        private void pass() {
            since = System.nanoTime();
            if (left.getAndDecrement() == 1) {
                if (Thread.currentThread() == beginning) {
                    CompletableFuture<Void> unused = cancel.thenAccept(Runnable::run); // once it has begun
                } else {
                    cancel.join().run();
                }
            }
        }

        private void note(LockReply reply) {
            if (reply instanceof LockReply.Queued || reply instanceof LockReply.Busy) {
                hasWaited = true;
            } else if (reply instanceof LockReply.Granted) {
                wasGranted = true;
            }
        }

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            calls.incrementAndGet();
            try {
                pass();
                List<LockReply> replies = super.execute(commands, timeout);
                for (LockReply reply : replies) {
                    note(reply);
                }
                pass();
                return replies;
            } finally {
                calls.decrementAndGet();
            }
        }

        @Override
        public AutoCloseable subscribe(Consumer<Notification> listener) {
            return super.subscribe(notification -> {
                pass();
                listener.accept(notification);
                pass();
            });
        }
    }
}
