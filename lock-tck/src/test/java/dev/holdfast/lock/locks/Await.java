package dev.holdfast.lock.locks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what must come; what has not come after a minute never does. */
final class Await {

    static final long SECONDS = 60;

    private Await() {}

    static void until(String what, BooleanSupplier isSo) {
        long start = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(SECONDS)) {
                throw new AssertionError("waited in vain until " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    static void opened(CountDownLatch latch) {
        try {
            if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("waited in vain for a latch");
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
