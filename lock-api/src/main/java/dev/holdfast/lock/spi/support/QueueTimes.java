package dev.holdfast.lock.spi.support;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;

/** The times of a {@linkplain Capability#QUEUE queue}, equal in every store. */
public final class QueueTimes {

    /** A waiter that sends no Acquire for this long loses its place in the queue. */
    public static final Duration WAITER_TTL = Duration.ofSeconds(15);

    /** A waiter retries after this long at the latest, which keeps its place. */
    public static final Duration REFRESH_INTERVAL = Duration.ofSeconds(5);

    /** A free lock is reserved for the first waiter for this long; a waiter that does not claim it loses its place. */
    public static final Duration CLAIM_WINDOW = Duration.ofSeconds(2);

    /** This many waiters after the first retry so often that a dead one before them costs one claim window at most. */
    private static final int NEAR = 3;

    private QueueTimes() {}

    /**
     * The time of {@link LockReply.Queued}. The first waiter retries when the lock is free; a notification tells it of an
     * earlier release. The three waiters after it are not notified of a release. As the first may be dead, they retry when a
     * claim window beginning now would end: each dead waiter before them costs one claim window. All others only keep their
     * places, so that the load of a long queue stays small; a waiter that moves up meanwhile does not retry sooner. Behind a waiter
     * for another share than {@link Share#EXCLUSIVE} several may leave the queue at once, so that a waiter there counts as the second;
     * a store need not look for one beyond the first four.
     *
     * @param untilFree the time until the lock is free; negative if it is free and reserved for the first waiter
     * @param before the number of waiters before this one; all numbers above three are equivalent
     * @return zero to {@link #REFRESH_INTERVAL}; at most {@link #CLAIM_WINDOW} with one to three waiters before it
     */
    public static Duration retryAfter(Duration untilFree, int before) {
        if (before > NEAR) {
            return REFRESH_INTERVAL;
        }
        Duration pause = before == 0
                ? Durations.min(untilFree, REFRESH_INTERVAL)
                : Durations.min(untilFree.plus(CLAIM_WINDOW), CLAIM_WINDOW);
        return Durations.max(pause, Duration.ZERO);
    }
}
