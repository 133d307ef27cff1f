package dev.holdfast.lock.bench.alone;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what tells nobody when it is so. */
final class Awaiting {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final Duration HANG = Duration.ofMinutes(2);

    private Awaiting() {}

    /** @throws IllegalStateException if it does not come to that */
    static void until(String what, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > HANG.toNanos()) {
                throw new IllegalStateException("not within " + HANG + ": " + what);
            }
            park(LOOK_NANOS);
        }
    }

    /** Lets time pass. */
    static void pass(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            park(left);
        }
    }

    private static void park(long nanos) throws InterruptedException {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
