package dev.holdfast.lock.spi.failover;

import java.time.Duration;

/**
 * An acquire had no effect that counts, as no store grants for now: whether the lock is free is unknown. This passes by itself, so that
 * it ends no caller that may wait. The cause of a {@link dev.holdfast.lock.spi.LockReply.Unavailable}.
 */
public final class GrantsSuspendedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    /** @param retryAfter when to send the command again if no notification comes before */
    public GrantsSuspendedException(String message, Duration retryAfter) {
        super(message, null, false, false);
        this.retryAfter = retryAfter;
    }

    /** When to send the command again if no notification comes before. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
