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

    /** So many after the first ask so often that no dead one before them is kept for longer than a reservation. */
    private static final int NEAR = 3;

    private QueueTimes() {}

    /**
     * What {@link Answer.Waiting} says. The first in the queue asks again when the lock is free: of an earlier release it is
     * told by a signal. The three after it are told of no release. The first may be dead, and so they ask again when a
     * reservation would be over that begins now: each dead waiter before them costs them one reservation. All others only
     * keep their places, so that the load of a long queue stays small; one of these that moves up meanwhile asks no
     * sooner for that.
     *
     * @param untilFree how long until the lock is free; negative if it is, and promised to the first in the queue
     * @param before how many wait before this one; any number above three means the same
     * @return zero or longer, {@link #REFRESH} at most; with one to three before it {@link #RESERVATION} at most
     */
    public static Duration askAgain(Duration untilFree, int before) {
        if (before > NEAR) {
            return REFRESH;
        }
        if (before == 0) {
            return between(Duration.ZERO, untilFree, REFRESH);
        }
        return between(Duration.ZERO, untilFree.plus(RESERVATION), RESERVATION);
    }

    private static Duration between(Duration least, Duration duration, Duration most) {
        if (duration.compareTo(least) < 0) {
            return least;
        }
        return duration.compareTo(most) < 0 ? duration : most;
    }
}
