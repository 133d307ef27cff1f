package dev.holdfast.lock.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Watches for how long this process stands still. */
public final class Standstill {

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Thread watch = new Thread(this::watch, "standstill");
    private volatile long longest;

    public Standstill() {
        watch.setDaemon(true);
        watch.start();
    }

    private void watch() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(STEP_NANOS);
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
        }
    }

    /** The longest time so far in which nothing went on. */
    public Duration longest() {
        return Duration.ofNanos(longest);
    }
}
