package dev.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long the machine, or at least this process, has stood still in a part of a test. No program keeps a promise about time while it
 * does not run: what is promised for an instant may be that much later.
 */
public final class Stalls implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicLong totalNanos = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private final Thread thread = new Thread(this::watch, "stalls");
    private volatile boolean closed;

    /** Watches from now on. */
    public Stalls() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            long start = System.nanoTime();
            LockSupport.parkNanos(PAUSE_NANOS);
            long late = Math.max(0, System.nanoTime() - start - PAUSE_NANOS);
            totalNanos.addAndGet(late);
            longestNanos.accumulateAndGet(late, Math::max);
        }
    }

    /** All the time in which this process stood still. */
    public Duration total() {
        return Duration.ofNanos(totalNanos.get());
    }

    /** The longest time in which it stood still without a break. */
    public Duration longest() {
        return Duration.ofNanos(longestNanos.get());
    }

    @Override
    public void close() {
        closed = true;
    }
}
