package dev.holdfast.lock.spi;

import java.time.Duration;

/**
 * What the engine asks of a store. Each step may arrive twice, late or out of order, and must then do no harm: not grant a
 * second time, not free what belongs to somebody else.
 *
 * <p>Durations are positive, or zero where it says so, and are measured on the store's clock.
 */
public sealed interface Step {

    /** The lock it is about. */
    LockName name();

    /** The acquisition it is about. */
    AcquisitionId id();

    /**
     * Grant the lock, if it is free.
     *
     * <ul>
     *   <li>Free, or its lease is over: {@link Answer.Granted}, with a token greater than every earlier one of this name.
     *   <li>Held by this very id: Granted again, with the same token and what <em>remains</em> of the lease.
     *   <li>The id held the lock before and its lease is over, or it was released with a minimum hold or to be remembered:
     *       {@link Answer.Gone}, whoever holds the lock now. A store that has forgotten the id may treat it as a new one; it
     *       never gives it its old grant back.
     *   <li>Held or promised to somebody else: {@link Answer.Waiting} if a place in the queue was asked for and the store
     *       has queues, else {@link Answer.Busy}.
     * </ul>
     *
     * <p>In a store with the {@linkplain Capability#QUEUE capability}, a lock that is free while others wait for it is
     * promised to the first of them, from the instant it became free or that one became the first, for
     * {@link QueueTimes#RESERVATION}. Only its own Acquire takes the lock; whoever comes meanwhile is refused. If it has not
     * asked by then, the next Acquire of another id drops it from the queue, and promises the lock to the next. A waiter
     * that has not asked for {@link QueueTimes#TICKET} is dropped without a promise; dropped, it asks for a new place by
     * asking again.
     *
     * @param length how long the lease is to last
     * @param queue whether to take a place in the queue, where the store has one; a repetition keeps its place
     * @param above the token must be greater than this; zero for no such floor. If no token is left, the answer is
     *     {@link Answer.Unavailable}, and nothing has changed
     * @param owner who asks, for people to read; any text; never compared. A store may keep its beginning only
     */
    record Acquire(LockName name, AcquisitionId id, Duration length, boolean queue, long above, String owner)
            implements Step {
        /** @throws IllegalArgumentException if the length is not positive or beyond all measure, or the floor is negative */
        public Acquire {
            requirePositive(length, "length");
            if (above < 0) {
                throw new IllegalArgumentException("above must not be negative: " + above);
            }
        }
    }

    /**
     * Let the lease last this long from now, and never less than it would have lasted anyway. {@link Answer.Granted} with
     * the token of the grant and what remains; {@link Answer.Gone} if this id does not hold the lock, or its lease is over: a
     * renewal never brings a lease back.
     *
     * @param length how long the lease is to last, from now
     */
    record Renew(LockName name, AcquisitionId id, Duration length) implements Step {
        /** @throws IllegalArgumentException if the length is not positive, or beyond all measure */
        public Renew {
            requirePositive(length, "length");
        }
    }

    /**
     * Forget this id: end its lease, or withdraw its place in the queue. Never touches another id's lease or place. Answered with
     * {@link Answer.Released}, also if there was nothing to forget.
     *
     * @param keep the minimum hold: if the id holds the lock and the grant is younger than this, the lock stays busy until
     *     then, though nobody holds it any more; zero for none
     * @param remember how long to answer {@link Answer.Gone} to an {@link Acquire} of this id that may still arrive late,
     *     whether or not the id is known; zero if every attempt was answered. Any number of ids of one name may be
     *     remembered, and a later release does not end that. What arrives later yet costs one lease at most, and never makes
     *     two holders
     */
    record Release(LockName name, AcquisitionId id, Duration keep, Duration remember) implements Step {
        /** @throws IllegalArgumentException if a duration is negative or beyond all measure */
        public Release {
            DurationText.requireMeasurable(keep, "keep");
            DurationText.requireMeasurable(remember, "remember");
        }
    }

    private static void requirePositive(Duration duration, String what) {
        DurationText.requireMeasurable(duration, what);
        if (duration.isZero()) {
            throw new IllegalArgumentException(what + " must be positive: " + duration);
        }
    }
}
