package dev.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long the machine, or at least this process, has stood still in a part of a test. No program keeps a promise about time while it
 * does not run: what is promised for an instant may be that much later.
 *
 * <p>Thread-safe.
 */
public final class Stalls implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** When the latest pause began. */
    private long begun = System.nanoTime();

    private long totalNanos;
    private long longestNanos;
    private volatile boolean closed;

    /** Watches from now on. */
    public Stalls() {
        Thread thread = new Thread(this::watch, "stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed) {
            LockSupport.parkNanos(PAUSE_NANOS);
            endPause();
        }
    }

    /** Counts by how much the pause that began last was too long, even if the thread that pauses has not run since. */
    private synchronized void endPause() {
        long now = System.nanoTime();
        long late = Math.max(0, now - begun - PAUSE_NANOS);
        totalNanos += late;
        longestNanos = Math.max(longestNanos, late);
        begun = now;
    }

    /** All the time in which this process stood still. */
    public synchronized Duration total() {
        endPause();
        return Duration.ofNanos(totalNanos);
    }

    /** The longest time in which it stood still without a break. */
    public synchronized Duration longest() {
        endPause();
        return Duration.ofNanos(longestNanos);
    }

    @Override
    public void close() {
        closed = true;
    }
}
