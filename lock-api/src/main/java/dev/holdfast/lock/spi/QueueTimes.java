package dev.holdfast.lock.spi;

import java.time.Duration;

/** The times of a {@linkplain Capability#QUEUE queue}, the same in every store. */
public final class QueueTimes {

    /** A place in the queue is dropped once its waiter has not asked for this long. */
    public static final Duration TICKET = Duration.ofSeconds(15);

    /** A waiter is told to ask again after this long at the latest, which keeps its place. */
    public static final Duration REFRESH = Duration.ofSeconds(5);

    /** A free lock is kept for the first in the queue for this long; who has not asked by then loses its place to the next. */
    public static final Duration RESERVATION = Duration.ofSeconds(2);

    private static final int FAR_BACK = (int) REFRESH.dividedBy(RESERVATION) + 1;

    private QueueTimes() {}

    /**
     * What {@link Answer.Waiting} says: when the lock is this waiter's if all before it are dead and no signal comes.
     *
     * @param untilFree how long until the lock is free; negative if it is, and promised to the first in the queue
     * @param before how many wait before this one
     * @return zero or longer, {@link #REFRESH} at most
     */
    public static Duration askAgain(Duration untilFree, int before) {
        if (before > FAR_BACK) {
            return REFRESH;
        }
        Duration own = untilFree.plus(RESERVATION.multipliedBy(before));
        if (own.isNegative()) {
            return Duration.ZERO;
        }
        return own.compareTo(REFRESH) < 0 ? own : REFRESH;
    }
}
