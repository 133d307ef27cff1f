package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that hold one lock for as long as it lasts, renewal by renewal, record that, and when it is lost begin anew, until
 * {@link #end}, which throws the failure of any of them.
 */
final class LongHolders implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final History history;
    private final String name;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private final Queue<LockUnavailableException> unavailable = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private volatile @Nullable Lease held;
    private volatile boolean over;

    LongHolders(History history, String name) {
        this.history = history;
        this.name = name;
    }

    /** Starts one more, which uses these locks, and the holder's name for its claims. */
    void begin(String holder, Locks locks) {
        Claims claims = history.claimsOf(holder + "-long");
        running.add(threads.submit(() -> holdAgainAndAgain(locks, claims)));
    }

    private @Nullable Void holdAgainAndAgain(Locks locks, Claims claims) throws InterruptedException {
        while (!over) {
            try (Lease lease = locks.named(name).acquire(PATIENCE)) {
                lease.onLost(loss -> told.incrementAndGet());
                held = lease;
                long claim = claims.granted(lease);
                while (claims.isHeld(claim, lease) && !over) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
                if (!lease.isHeld()) {
                    lost.incrementAndGet();
                }
            } catch (LockUnavailableException e) {
                unavailable.add(e);
            } catch (LockTimeoutException e) {
                // another one holds it
            }
        }
        return null;
    }

    /** The failures of calls that the store did not answer. */
    List<LockUnavailableException> unavailable() {
        return List.copyOf(unavailable);
    }

    /** How many leases were lost. */
    int lost() {
        return lost.get();
    }

    /** Whether the lock is held now; the holder counts it if it is lost. */
    boolean isHeld() {
        Lease latest = held;
        return latest != null && latest.isHeld();
    }

    /** Ends them, and throws the failure of any of them; each loss was reported once. */
    void end() throws Exception {
        over = true;
        for (Future<?> each : running) {
            Await.result(each);
        }
        Await.until("each loss is told", () -> told.get() >= lost.get());
        if (told.get() != lost.get()) {
            throw new AssertionError(lost + " leases were lost, and " + told + " losses were told");
        }
    }

    @Override
    public void close() {
        over = true;
        threads.shutdownNow();
    }
}
