package dev.holdfast.lock.spi;

import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;

/** The reply of a store to a {@link LockCommand}. */
public sealed interface LockReply {

    /**
     * The id holds the lock.
     *
     * @param token the store's token of this grant, constant while the grant lasts; 1 to {@link #MAX_TOKEN}
     * @param remaining the time left of the lease by the store's clock, from an instant within the execution; the engine counts it
     *     from before it sent the command
     */
    record Granted(long token, Duration remaining) implements LockReply {
        /** The greatest token of a store: 2^53 - 1, the greatest integer that a double holds exactly. */
        public static final long MAX_TOKEN = (1L << 53) - 1;

        /** The maximum number of consecutive holders of one process that share a grant. */
        public static final int HOLDERS_PER_GRANT = 256;

        /** @throws IllegalArgumentException if the token is out of bounds, or the duration negative or too long to measure */
        public Granted {
            if (token < 1 || token > MAX_TOKEN) {
                throw new IllegalArgumentException("a store's token is 1 to 2^53 - 1: " + token);
            }
            DurationLimits.requireMeasurable(remaining, "remaining");
        }

        /**
         * The fencing token of the application: greater for a later grant, and within a grant for a later holder.
         *
         * @param token the store's token
         * @param handOff the number of earlier holders of this grant, less than {@link #HOLDERS_PER_GRANT}
         */
        public static long fencingToken(long token, int handOff) {
            return token * HOLDERS_PER_GRANT + handOff;
        }
    }

    /**
     * Not yet: the id has a place in the queue.
     *
     * @param retryAfter when to send the command again if no notification comes before: {@link QueueTimes#retryAfter} in a
     *     store with notifications, sooner in a store without
     */
    record Queued(Duration retryAfter) implements LockReply {
        /** @throws IllegalArgumentException if the duration is negative or too long to measure */
        public Queued {
            DurationLimits.requireMeasurable(retryAfter, "retryAfter");
        }
    }

    /**
     * No: another id holds the lock, or the lock is reserved for another id.
     *
     * @param retryAfter when to send the command again: at the end of the lease at the latest, although the holder may release
     *     earlier. The engine backs off between repeated attempts
     */
    record Busy(Duration retryAfter) implements LockReply {
        /** @throws IllegalArgumentException if the duration is negative or too long to measure */
        public Busy {
            DurationLimits.requireMeasurable(retryAfter, "retryAfter");
        }
    }

    /** The id does not hold the lock and never will again. */
    record Gone() implements LockReply {}

    /**
     * The id neither holds the lock nor waits for it.
     *
     * @param wasHeld whether this command ended its lease, which had not expired before
     */
    record Released(boolean wasHeld) implements LockReply {}

    /**
     * The outcome is unknown: the command may or may not have been executed. The engine repeats it with the same id, backing
     * off, until the store replies.
     *
     * @param cause the failure
     */
    record Unavailable(Throwable cause) implements LockReply {}
}
