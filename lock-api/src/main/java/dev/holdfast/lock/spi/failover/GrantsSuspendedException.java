package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An acquire had no effect that counts, as no store grants for now: whether the lock is free is unknown. This passes by itself, so that
 * it ends no caller that may wait. The cause of a {@link LockReply.Unavailable}.
 */
public final class GrantsSuspendedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    /** @param retryAfter when to send the command again if no notification comes before */
    public GrantsSuspendedException(String message, Duration retryAfter) {
        super(message, null, false, false);
        this.retryAfter = retryAfter;
    }

    /** The cause of this reply if it says that grants are suspended; else null. */
    public static @Nullable GrantsSuspendedException in(LockReply reply) {
        return reply instanceof LockReply.Unavailable unavailable
                        && unavailable.cause() instanceof GrantsSuspendedException suspension
                ? suspension
                : null;
    }

    /** When to send the command again if no notification comes before. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
