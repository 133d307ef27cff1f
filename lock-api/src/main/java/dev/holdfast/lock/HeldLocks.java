package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * The locks that one acquisition holds, from the grant until {@link #close()} or their loss: a {@link Lease} of one lock, or a
 * {@link LeaseGroup} of several.
 *
 * <p>Work may still be running under the locks when they are lost. Only the {@link #fencingToken}, checked by each resource,
 * excludes late writes.
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

    /** The time until the first of them ends, if nothing renews them from now on; zero once lost or released. */
    Duration remaining();

    /**
     * Returns normally if the locks {@linkplain #isHeld() are held}.
     *
     * @throws LockLostException if one of them was lost, saying which
     * @throws IllegalStateException if they were released
     */
    void ensureHeld();

    /**
     * Calls the listener exactly once on a loss, even while a call to the store hangs and however many locks are lost, and never
     * after a release. If they are already lost, the listener runs at once on this thread; otherwise it runs on a thread of
     * Holdfast. A listener that blocks keeps a thread, but holds up no other listener.
     *
     * @param listener receives the exception that {@link #ensureHeld()} throws
     */
    void onLost(Lease.LossListener listener);

    /**
     * Releases the locks, the last acquired first. Waits for the store's answer, for up to ten seconds if the store is silent.
     *
     * @return whether all of them were still held; false if any had been lost, or if they had already been released
     * @throws LockUnavailableException if the store did not answer. This process no longer holds the locks all the same, and each
     *     release is repeated in the background until the store answers or the lease has expired there
     */
    boolean release();

    /**
     * Releases the locks; a second call does nothing. Never throws: an unanswered release is logged, and repeated until the store
     * answers or the lease has expired.
     */
    @Override
    void close();
}
