package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * Several locks that are held together, from {@link Locks#acquireAll} until {@link #close()}, or until one of them is lost:
 * losing one loses all. The others are then released at once, and the group is {@link LeaseState#LOST} for good. Each is
 * renewed in the background.
 *
 * <p>Whoever works under the group may still be at it when the others are released; what {@link Lease} says of a process
 * that acts too late is true of each name here, and so is the remedy, the {@link #fencingToken}.
 *
 * <p>Thread-safe, and not bound to a thread: any thread may look at it and close it.
 */
public interface LeaseGroup extends AutoCloseable {

    /** The names of the locks, in the order in which they were given. */
    List<String> names();

    /**
     * The {@linkplain Lease#fencingToken() fencing token} of one of the locks.
     *
     * @throws IllegalArgumentException if the group has no lock of this name
     */
    long fencingToken(String name);

    /**
     * The state at this instant, by this process's own clocks: LOST if any of the locks is lost, UNCONFIRMED if any of them
     * is, and otherwise HELD, until it is RELEASED. LOST and RELEASED are final.
     */
    LeaseState state();

    /**
     * Whether nobody else can hold any of the locks at this instant: the state is {@link LeaseState#HELD} or
     * {@link LeaseState#UNCONFIRMED}.
     */
    default boolean isHeld() {
        LeaseState state = state();
        return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
    }

    /** How long all of them last if nothing renews them from now on; zero if the group is lost or released. */
    Duration remaining();

    /**
     * Returns if the group {@linkplain #isHeld() is held}.
     *
     * @throws LockLostException if one of the locks was lost, saying which
     * @throws IllegalStateException if the group was released
     */
    void ensureHeld();

    /**
     * Has the listener called exactly once when the group is lost, however many of its locks are; at once, on this thread,
     * if it is lost already; never after a release. Otherwise it is called on a thread of Holdfast's, which it must not
     * block for long. Neither the listener nor the release of the other locks waits for the other.
     *
     * @param listener what to do about the loss; receives the loss of the first lock that was lost
     */
    void onLost(Lease.LossListener listener);

    /**
     * Gives all of the locks back, the last acquired first.
     *
     * @return whether all of them were still held; false also if the group was released before
     * @throws LockUnavailableException if the store did not answer. All of the leases are over for this process all the
     *     same, and each release is repeated in the background until the store answers or the lease has expired there
     */
    boolean release();

    /**
     * Gives all of the locks back; does nothing the second time. Never throws: an unanswered release is repeated, logged, and
     * expires. A store that takes more than a second, and one call, is left to answer the rest in the background.
     */
    @Override
    void close();
}
