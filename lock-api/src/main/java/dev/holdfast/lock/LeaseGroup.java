package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * Several locks held together, from {@link Locks#acquireAll} until {@link #close()} or until one of them is lost: losing one
 * loses all. The others are then released at once, and the group stays {@link LeaseState#LOST}. Each lease is renewed in the
 * background.
 *
 * <p>Work under the group may still be running when the other locks are released. As for a single {@link Lease}, only the
 * {@link #fencingToken}, checked by each resource, excludes writes that come too late.
 *
 * <p>Thread-safe, and not bound to a thread: any thread may read it and close it.
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
     * Whether none of the locks can have another holder at this instant: the state is {@link LeaseState#HELD} or
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
     * Calls the listener exactly once when the group is lost, however many of its locks are lost, and never after a release.
     * If the group is lost already, the listener runs at once on this thread; otherwise it runs on a thread of Holdfast,
     * which it must not block for long. The listener and the release of the other locks do not wait for each other.
     *
     * @param listener receives the loss of the first lock that was lost
     */
    void onLost(Lease.LossListener listener);

    /**
     * Releases all of the locks, the last acquired first.
     *
     * @return whether all of them were still held; false also if the group was released before
     * @throws LockUnavailableException if the store did not answer. All of the leases are over for this process
     *     nevertheless, and each release is repeated in the background until the store answers or the lease has expired there
     */
    boolean release();

    /**
     * Releases all of the locks; does nothing the second time. Never throws: an unanswered release is repeated, logged, and
     * expires. If the store takes longer than one second and one call, the rest is released in the background.
     */
    @Override
    void close();
}
