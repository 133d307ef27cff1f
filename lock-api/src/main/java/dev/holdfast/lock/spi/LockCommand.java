package dev.holdfast.lock.spi;

import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;

/**
 * A command that the engine sends to a store. A command may arrive twice, late or out of order, and must then do no harm: it
 * neither grants a second time nor releases the grant of another id.
 *
 * <p>Durations are positive, or zero where stated, and are measured on the store's clock. A clock that advances in ticks may
 * shorten a lease by one tick, as the reply has the remaining time; a minimum hold and a tombstone last at least as long as
 * requested.
 */
public sealed interface LockCommand {

    /** The lock. */
    LockName name();

    /** The acquisition. */
    AcquisitionId id();

    /** The part of the lock that the acquisition takes: the same in all commands of an id. */
    Share share();

    /**
     * Grant the lock if it is free.
     *
     * <ul>
     *   <li>The lock is free, or its lease has expired: {@link LockReply.Granted}, with a token greater than every earlier one
     *       of this name.
     *   <li>This id holds the lock: Granted again, with the same token and the <em>remaining</em> time of the lease.
     *   <li>This id held the lock before and its lease has expired, or it was released with a minimum hold or a tombstone:
     *       {@link LockReply.Gone}, whatever the state of the lock is now. A store that has forgotten the id may treat it as a
     *       new one; it never returns the old grant.
     *   <li>Another id holds the lock, or the lock is reserved for another id: {@link LockReply.Queued} if the command asks for
     *       a place in the queue and the store has queues, else {@link LockReply.Busy}.
     * </ul>
     *
     * <p>In a store with the {@linkplain Capability#QUEUE capability}, a free lock with waiters is reserved for the first of
     * them for {@link QueueTimes#CLAIM_WINDOW}. The window begins when the lock becomes free, or when that waiter becomes the
     * first. Within the window only the Acquire of that waiter takes the lock; any other is refused. After the window, the
     * next Acquire of another id drops the waiter from the queue, and reserves the lock for the next one. A waiter that sends
     * no Acquire for {@link QueueTimes#WAITER_TTL} is dropped without a reservation; its next Acquire takes a new place. If it was
     * the first of a free lock, the window of the next one may begin as late as the next Acquire of any id.
     *
     * <p>In a store with the capability {@link Capability#SHARES} several ids may hold the lock at the same time, each with a grant
     * of its own: id, token, end, minimum hold and tombstone. There the lock is <em>free for a request</em> if its {@linkplain #share
     * share} is {@linkplain Share#areCompatible compatible} with those of all holders, those kept by minimum holds, and those of all
     * waiters before it in the queue; a request without a place counts as the last. Each waiter for which the lock is free is
     * due, and has a claim window of its own. Of several leases that have ended since the last command on the lock, the end of the
     * last may count as that of each. While other shares are taken, a command for {@link Share#EXCLUSIVE} need not notice that some of
     * them have ended, as the next command for another share does. A waiter that is due and does not ask delays only requests that are
     * not compatible with it.
     *
     * @param lease the length of the lease
     * @param queue whether to take a place in the queue, where the store has one; a repetition keeps its place
     * @param tokenFloor the token must be greater than this; zero for no floor. If no token is left, the reply is
     *     {@link LockReply.Unavailable}, and nothing changes
     * @param owner a description of the holder, for people; any text; never compared. A store may truncate it
     */
    record Acquire(
            LockName name, AcquisitionId id, Duration lease, boolean queue, long tokenFloor, String owner, Share share)
            implements LockCommand {
        /** @throws IllegalArgumentException if the lease is not positive or too long to measure, or the floor is negative */
        public Acquire {
            requirePositive(lease, "lease");
            if (tokenFloor < 0) {
                throw new IllegalArgumentException("tokenFloor must not be negative: " + tokenFloor);
            }
        }

        /** For {@link Share#EXCLUSIVE}. */
        public Acquire(LockName name, AcquisitionId id, Duration lease, boolean queue, long tokenFloor, String owner) {
            this(name, id, lease, queue, tokenFloor, owner, Share.EXCLUSIVE);
        }
    }

    /**
     * Extend the lease to this length from now, and never shorten it. {@link LockReply.Granted} with the token of the grant and
     * the remaining time; {@link LockReply.Gone} if this id does not hold the lock or its lease has expired: a renewal never
     * brings a lease back.
     *
     * @param lease the length of the lease, from now
     */
    record Renew(LockName name, AcquisitionId id, Duration lease, Share share) implements LockCommand {
        /** @throws IllegalArgumentException if the lease is not positive, or too long to measure */
        public Renew {
            requirePositive(lease, "lease");
        }

        /** For {@link Share#EXCLUSIVE}. */
        public Renew(LockName name, AcquisitionId id, Duration lease) {
            this(name, id, lease, Share.EXCLUSIVE);
        }
    }

    /**
     * End the lease of this id, or withdraw its place in the queue. Never touches the lease or the place of another id. The
     * reply is {@link LockReply.Released}, also if there was nothing to end.
     *
     * @param minimumHold if the id holds the lock and its grant is younger than this, its share stays taken until the grant
     *     reaches this age, without a holder; zero for none
     * @param tombstone how long to reply {@link LockReply.Gone} to an {@link Acquire} of this id that may still arrive late,
     *     whether or not the id is known; zero if every attempt was answered. A name may have any number of tombstones, and a
     *     later release does not end them. An Acquire that arrives even later costs one lease at most, and never makes two
     *     holders
     */
    record Release(LockName name, AcquisitionId id, Duration minimumHold, Duration tombstone, Share share)
            implements LockCommand {
        /** @throws IllegalArgumentException if a duration is negative or too long to measure */
        public Release {
            DurationLimits.requireMeasurable(minimumHold, "minimumHold");
            DurationLimits.requireMeasurable(tombstone, "tombstone");
        }

        /** For {@link Share#EXCLUSIVE}. */
        public Release(LockName name, AcquisitionId id, Duration minimumHold, Duration tombstone) {
            this(name, id, minimumHold, tombstone, Share.EXCLUSIVE);
        }
    }

    private static void requirePositive(Duration duration, String what) {
        DurationLimits.requireMeasurable(duration, what);
        if (duration.isZero()) {
            throw new IllegalArgumentException(what + " must be positive: " + duration);
        }
    }
}
