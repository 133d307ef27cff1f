package dev.holdfast.lock.testing;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take locks from each other at random, waiting or not, and record what they hold, until {@link #end}, which throws
 * what any of them died of.
 *
 * <p>An unavailable store and a time-out are remembered, and the thread goes on.
 */
public final class Contenders implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final History history;
    private final List<String> names;
    private final Random seeds;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private final Queue<LockUnavailableException> unavailable = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    /**
     * Contenders of which none has begun.
     *
     * @param history takes what they hold
     * @param names the locks
     * @param seed decides what they do; the order in which they come to do it is the machine's
     */
    public Contenders(History history, List<String> names, long seed) {
        this.history = history;
        this.names = List.copyOf(names);
        this.seeds = new Random(seed);
    }

    /** Starts so many threads more, which use these locks, and the holder's name for their claims. */
    public void begin(String holder, Locks locks, int count) {
        for (int number = 1; number <= count; number++) {
            Random random = new Random(seeds.nextLong());
            Claims claims = history.claimsOf(holder + "-" + number);
            running.add(threads.submit(() -> comeAndGo(locks, claims, random)));
        }
    }

    private @Nullable Void comeAndGo(Locks locks, Claims claims, Random random) throws Exception {
        while (!over) {
            try {
                takeOnce(locks, names, claims, random);
            } catch (LockUnavailableException e) {
                unavailable.add(e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return null;
    }

    /** Takes one of the locks, or does not get it, and gives it back. */
    static void takeOnce(Locks locks, List<String> names, Claims claims, Random random) throws InterruptedException {
        DistributedLock lock = locks.named(names.get(random.nextInt(names.size())));
        try (Lease lease = ask(lock, random)) {
            if (lease != null) {
                claims.hold(lease, random.nextLong(PAUSE_NANOS));
            }
        }
    }

    private static @Nullable Lease ask(DistributedLock lock, Random random) throws InterruptedException {
        if (random.nextInt(3) == 0) {
            return lock.tryAcquire().orElse(null);
        }
        try {
            return lock.acquire(PATIENCE);
        } catch (LockTimeoutException e) {
            return null;
        }
    }

    /** What was thrown where the store did not answer. */
    public List<LockUnavailableException> unavailable() {
        return List.copyOf(unavailable);
    }

    /** Waits until each lock was granted some times more than now. */
    public void awaitProgress(String when) {
        for (String name : names) {
            int before = history.count(name);
            Await.until("'" + name + "' is granted again " + when, () -> {
                throwIfDead();
                return history.count(name) > before + 3;
            });
        }
    }

    private void throwIfDead() throws Exception {
        for (Future<?> each : running) {
            if (each.isDone()) {
                each.get();
            }
        }
    }

    /** Ends them, and throws what any of them died of. */
    public void end() throws Exception {
        over = true;
        for (Future<?> each : running) {
            Await.result(each);
        }
    }

    @Override
    public void close() {
        over = true;
        threads.shutdownNow();
    }
}
