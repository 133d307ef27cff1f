package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * What one acquisition holds, from the grant until {@link #close()} or until its loss: a {@link Lease} of one lock, or a
 * {@link LeaseGroup} of several.
 *
 * <p>Work under it may still be running when it is lost. Only the {@link #fencingToken}, checked by each resource, excludes writes
 * that come too late.
 *
 * <p>Thread-safe, and not bound to a thread: any thread may read it and close it.
 */
public interface HeldLocks extends AutoCloseable {

    /** The names of the locks, in the order in which they were given. */
    List<String> names();

    /**
     * The {@linkplain Lease#fencingToken() fencing token} of one of the locks.
     *
     * @throws IllegalArgumentException if none of them has this name
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

    /** How long all of them last if nothing renews them from now on; zero once lost or released. */
    Duration remaining();

    /**
     * Returns if the locks {@linkplain #isHeld() are held}.
     *
     * @throws LockLostException if one of them was lost, saying which
     * @throws IllegalStateException if they were released
     */
    void ensureHeld();

    /**
     * Calls the listener exactly once at the loss, also while a call to the store hangs, however many locks are lost, and never
     * after a release. If they are lost already, the listener runs at once on this thread; otherwise it runs on a thread of
     * Holdfast, which it must not block for long.
     *
     * @param listener receives the exception that {@link #ensureHeld()} throws
     */
    void onLost(Lease.LossListener listener);

    /**
     * Releases the locks, the last acquired first.
     *
     * @return whether all of them were still held; false if any was lost before, or if they were released before
     * @throws LockUnavailableException if the store did not answer. The locks are over for this process nevertheless, and each
     *     release is repeated in the background until the store answers or the lease has expired there
     */
    boolean release();

    /**
     * Releases the locks; does nothing the second time. Never throws: an unanswered release is repeated, logged, and expires.
     */
    @Override
    void close();
}
