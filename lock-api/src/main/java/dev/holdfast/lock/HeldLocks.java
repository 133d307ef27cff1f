package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
     * Forgets one call of {@link #onLost} with this listener: a later loss does not call it. Otherwise these locks refer to a listener
     * until they are lost or released. Does nothing if the listener was called or is unknown; one that is about to be called may still be
     * called.
     *
     * @param listener equal to the one that was given
     */
    void removeLossListener(Lease.LossListener listener);

    /**
     * Releases the locks, the last acquired first. Waits for the store's answer, for up to ten seconds if the store is silent.
     *
     * @return whether all of them were still held; false if any had been lost, or if they had already been released
     * @throws LockUnavailableException if the store did not answer. This process no longer holds the locks all the same, and each
     *     release is repeated in the background until the store answers, the lease has expired there, or the {@link Locks} are closed
     */
    boolean release();

    /**
     * As {@link #release()}, without waiting for the store. From this call on, this process no longer holds the locks
     * ({@link LeaseState#RELEASED}). The release is sent in the background, and the locks are free at the store once it arrives. If this
     * process ends or loses its network before that, they stay busy until their leases expire, as after a crash.
     *
     * <p>The next acquire of such a lock from the same {@link Locks} does not wait for the answer. A release that has not been sent yet
     * travels with it in one call. A release that has been sent does not make it find the lock busy, unless the store fails to answer that
     * release in time. A thread that releases and acquires in turn thus waits for one round trip per pair instead of two.
     * {@link Locks#close} waits for the release.
     *
     * @return completed with the result of {@link #release()}, or with the exception that it would throw. The stages run on threads of
     *     Holdfast, and may block them; {@link DistributedLock#acquireAsync()} says more. Cancelling the future, or completing
     *     it by other means, does not take the release back
     */
    CompletableFuture<Boolean> releaseAsync();

    /**
     * Releases the locks; a second call, or one after {@link #release()} or {@link #releaseAsync()}, does nothing. Never throws: an
     * unanswered release is logged, and repeated until the store answers or the lease has expired.
     */
    @Override
    void close();
}
