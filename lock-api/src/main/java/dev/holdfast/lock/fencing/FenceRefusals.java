package dev.holdfast.lock.fencing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the refusals of a fence: two holders were at work, and operators must know that, whatever the application does with the
 * exception. Each window has a few lines; the next line counts those left out. Thread-safe.
 */
final class FenceRefusals {

    static final int AT_ONCE = 3;
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final Logger log = LoggerFactory.getLogger("dev.holdfast.lock.fencing");

    private final LongSupplier nanoTime;
    private final ReentrantLock guard = new ReentrantLock();
    private long began;
    private int written;
    private long leftOut;

    FenceRefusals(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.began = nanoTime.getAsLong();
    }

    void log(StaleLeaseException refusal) {
        long before;
        guard.lock();
        try {
            long now = nanoTime.getAsLong();
            if (now - began >= WINDOW_NANOS) {
                began = now;
                written = 0;
            }
            if (written == AT_ONCE) {
                leftOut++;
                return;
            }
            written++;
            before = leftOut;
            leftOut = 0;
        } finally {
            guard.unlock();
        }
        log.warn(
                "the fence refused a transaction, which has to be rolled back ({} more since the line before): {}",
                before,
                refusal.getMessage());
    }
}
