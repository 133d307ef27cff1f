package dev.holdfast.lock.testing;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
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
 * Threads that contend for random locks, waiting or not, and record their holds, until {@link #end}, which throws the exception
 * of a thread that failed.
 *
 * <p>After an unavailable store or a timeout, which is recorded, the thread goes on.
 */
public final class Contenders implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final History history;
    private final List<String> names;
    private final Random seeds;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private final Queue<LockUnavailableException> unavailable = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    /**
     * Without threads yet.
     *
     * @param history records their holds
     * @param names the locks
     * @param seed of their random decisions; their interleaving is not determined by it
     */
    public Contenders(History history, List<String> names, long seed) {
        this.history = history;
        this.names = List.copyOf(names);
        this.seeds = new Random(seed);
    }

    /** Starts more threads, which use these locks and this holder's name for their claims. */
    public void begin(String holder, Locks locks, int count) {
        begin(holder, locks, count, Contention.exclusive(names));
    }

    /** The same with readers, writers and permits of three. */
    public void beginMixed(String holder, Locks locks, int count) {
        begin(holder, locks, count, Contention.mixed(names));
    }

    private void begin(String holder, Locks locks, int count, Contention contention) {
        for (int number = 1; number <= count; number++) {
            Random random = new Random(seeds.nextLong());
            Claims claims = history.claimsOf(holder + "-" + number);
            running.add(threads.submit(() -> comeAndGo(locks, claims, random, contention)));
        }
    }

    private @Nullable Void comeAndGo(Locks locks, Claims claims, Random random, Contention contention)
            throws Exception {
        while (!over) {
            try {
                contention.takeOnce(locks, claims, random);
            } catch (LockUnavailableException e) {
                unavailable.add(e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return null;
    }

    /** The exceptions of an unavailable store. */
    public List<LockUnavailableException> unavailable() {
        return List.copyOf(unavailable);
    }

    /** Waits until each lock was granted a few more times. */
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

    /** Ends all threads, and throws the exception of a thread that failed. */
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
