package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.internal.engine.LeaseLog;
import dev.holdfast.lock.internal.time.Blocking;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks one after the other, in the same order everywhere: a group that waits for a lock holds only locks that
 * come before it, so that no two groups wait for each other (Dijkstra, "Hierarchical ordering of sequential processes",
 * 1971).
 */
final class GroupAcquisition {

    private final List<String> given;
    private final SortedMap<String, DefaultLock> locks = new TreeMap<>();
    private final Duration wait;
    private final Clock clock;
    private final LeaseLog log;
    private final Executor completions;
    private final DualClockInstant since;
    /** The last acquired first. */
    private final Deque<DefaultLease> leases = new ArrayDeque<>();

    private volatile @Nullable CompletableFuture<Lease> waitedFor;
    private volatile @Nullable LockLostException loss;

    /**
     * Asks for nothing yet.
     *
     * @param completions complete the futures of the application; never fail
     */
    GroupAcquisition(
            Function<String, DefaultLock> locks,
            Collection<String> names,
            Duration wait,
            Clock clock,
            LeaseLog log,
            Executor completions) {
        this.clock = clock;
        this.log = log;
        this.completions = completions;
        this.since = clock.now();
        this.given = List.copyOf(names);
        this.wait = wait;
        if (wait.isNegative()) {
            throw new IllegalArgumentException("a wait is zero or longer, not " + DurationText.format(wait));
        }
        if (given.isEmpty()) {
            throw new IllegalArgumentException("no names are given");
        }
        for (String name : given) {
            if (this.locks.put(name, locks.apply(name)) != null) {
                throw new IllegalArgumentException("'" + name + "' is given twice");
            }
        }
    }

    LeaseGroup acquire() throws InterruptedException {
        try {
            for (DefaultLock lock : locks.values()) {
                DefaultLease lease = acquire(lock);
                leases.push(lease);
                lease.onLost(this::lost);
                leases.forEach(Lease::ensureHeld);
            }
            GroupLease group = new GroupLease(given, List.copyOf(leases), clock, log, completions);
            group.begin();
            group.ensureHeld();
            return group;
        } catch (Throwable e) {
            PatientClose.close(List.copyOf(leases), clock);
            throw e;
        }
    }

    private DefaultLease acquire(DefaultLock lock) throws InterruptedException {
        Duration left = wait.minus(since.until(clock.now()));
        left = Durations.max(left, Duration.ZERO);
        try {
            return leases.isEmpty() ? lock.acquireLease(left) : acquireUnlessLost(lock, left);
        } catch (LockTimeoutException e) {
            throw new LockTimeoutException("'" + lock.name() + "' was busy to the end of the wait of "
                    + DurationText.format(wait) + " for all of " + given);
        } catch (InterruptedException e) {
            InterruptedException named = new InterruptedException(
                    "interrupted before or while waiting for '" + lock.name() + "', one of " + given);
            named.initCause(e);
            throw named;
        }
    }

    /** Acquires the lock, unless one that was acquired before is lost: that ends the wait at once. */
    private DefaultLease acquireUnlessLost(DefaultLock lock, Duration left) throws InterruptedException {
        CompletableFuture<Lease> future = lock.acquireAwaited(left);
        boolean isReceived = false;
        try {
            waitedFor = future;
            if (loss != null) {
                future.completeExceptionally(loss);
            }
            Blocking.await(future);
            DefaultLease lease = (DefaultLease) future.get(); // of a lock of these
            isReceived = true;
            return lease;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException reason ? reason : new IllegalStateException(e.getCause());
        } finally {
            if (!isReceived) { // by an interrupt, or a failure of the wait, as of an application's pool of threads
                abandon(future);
            }
        }
    }

    private static void abandon(CompletableFuture<Lease> future) {
        if (!future.cancel(false) && !future.isCompletedExceptionally()) {
            future.join().close();
        }
    }

    private void lost(LockLostException why) {
        loss = why;
        CompletableFuture<Lease> future = waitedFor;
        if (future != null) {
            future.completeExceptionally(why);
        }
    }
}
