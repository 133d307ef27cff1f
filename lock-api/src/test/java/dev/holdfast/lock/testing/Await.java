package dev.holdfast.lock.testing;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions. The limit ends a hang and decides nothing else. */
public final class Await {

    /** The limit of a wait. */
    public static final Duration HANG = Duration.ofMinutes(3);

    /** The same in seconds. */
    public static final long SECONDS = HANG.toSeconds();

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The pause between two checks: a tenth of the time so far, as a check may cost a connection to a database. */
    private static final int PART = 10;

    private Await() {}

    /**
     * Waits until a condition is true.
     *
     * @param what the condition in words, for the error
     * @throws AssertionError if it is still false after {@link #HANG}, or what it throws
     */
    public static void until(String what, Callable<Boolean> condition) {
        long start = System.nanoTime();
        while (!isTrue(condition)) {
            long passed = System.nanoTime() - start;
            if (passed > HANG.toNanos()) {
                throw new AssertionError("not within " + HANG + ": " + what);
            }
            LockSupport.parkNanos(Math.min(LONGEST_PAUSE_NANOS, Math.max(SHORTEST_PAUSE_NANOS, passed / PART)));
        }
    }

    /** Waits until the latch is open. */
    public static void opened(CountDownLatch latch) {
        try {
            if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("a latch is not open within " + HANG);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Waits for the result, and throws what the computation threw. */
    public static <T> T result(Future<T> future) throws Exception {
        return future.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Acquires the lock. A waiter waits for the end of a short outage only, and a machine may stand still for longer: it asks anew. */
    public static Lease lease(DistributedLock lock) {
        AtomicReference<Lease> acquired = new AtomicReference<>();
        until("'" + lock.name() + "' is acquired", () -> {
            try {
                acquired.set(lock.acquire(HANG));
                return true;
            } catch (LockUnavailableException e) {
                return false;
            }
        });
        return acquired.get();
    }

    private static boolean isTrue(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
