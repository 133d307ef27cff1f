package dev.holdfast.lock.cli;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Notices when this machine, or this process, stands still: by a thread that looks at the clock again and again. */
final class Pulse implements AutoCloseable {

    private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Thread thread = new Thread(this::beat, "pulse");
    private volatile boolean closed;
    private volatile long last = System.nanoTime();
    private volatile long longest;

    Pulse() {
        thread.setDaemon(true);
        thread.start();
    }

    private void beat() {
        while (!closed) {
            LockSupport.parkNanos(BEAT_NANOS);
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
        }
    }

    /** For how long it stood still at most, by now. */
    Duration longestGap() {
        return Duration.ofNanos(Math.max(longest, System.nanoTime() - last));
    }

    @Override
    public void close() {
        closed = true;
    }
}
