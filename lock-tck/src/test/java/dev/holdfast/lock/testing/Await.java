package dev.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions. The limit ends a hang and decides nothing else. */
public final class Await {

    /** After so long what is awaited is taken to never come. */
    public static final Duration HANG = Duration.ofMinutes(3);

    /** The same as a number. */
    public static final long SECONDS = HANG.toSeconds();

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

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
            if (System.nanoTime() - start > HANG.toNanos()) {
                throw new AssertionError("not within " + HANG + ": " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
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

    private static boolean isTrue(Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
