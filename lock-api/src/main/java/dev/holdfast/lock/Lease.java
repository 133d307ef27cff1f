package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * A held lock, from the grant until {@link #close()} or until its loss. Renewed in the background unless taken with a
 * {@linkplain DistributedLock#withFixedLease(Duration) fixed length}.
 *
 * <p>A lease ends for its holder no later than for the store: every deadline counts from the instant <em>before</em> the
 * confirmed request was sent. A process that is suspended after it called {@link #isHeld()} can still act too late; only the
 * {@link #fencingToken()}, checked by the resource itself, prevents that (Kleppmann, "How to do distributed locking", 2016).
 */
public interface Lease extends HeldLocks {

    /** The name of the lock that is held. */
    String name();

    /**
     * A positive number, greater than that of every earlier grant of this name, across release, expiry, crash and restart.
     * Pass it to the guarded resource, which refuses a token smaller than the greatest it has seen.
     */
    long fencingToken();

    /** {@inheritDoc} That is {@link #name()} alone. */
    @Override
    default List<String> names() {
        return List.of(name());
    }

    @Override
    default long fencingToken(String name) {
        if (!name.equals(name())) {
            throw new IllegalArgumentException("this is a lease of " + name() + ", not of " + name);
        }
        return fencingToken();
    }

    /**
     * Extends a {@linkplain DistributedLock#withFixedLease fixed lease}: afterwards it lasts for {@code length} from the
     * instant before the call was sent to the store, as a new lease of that length would, or longer. Never shortens it. The
     * call waits for the store for about as long as one call may take ({@code lock.call-timeout}), and ignores an interrupt,
     * which is kept. Calls from several threads are sent one after the other.
     *
     * @param length as for {@link DistributedLock#withFixedLease}
     * @throws LockLostException if the lease is lost, or is lost before the store has answered; an extension never brings a
     *     lease back
     * @throws LockUnavailableException if the store did not answer. The lease keeps its former end for this process, though
     *     the request may have reached the store; calling again is allowed
     * @throws IllegalArgumentException if the length is not allowed, with the reason
     * @throws IllegalStateException if the lease was released, or is renewed in the background
     */
    void extend(Duration length);

    /**
     * Replaces the {@linkplain DistributedLock#withMinimumHold minimum hold} of this lease: the lock stays busy for at least this
     * long from now on, even when it is released earlier. The store learns of it with the release; this method does not call it.
     *
     * @param minimum zero, for no minimum, or longer. If the holder dies without releasing, the lock is free at the end of its
     *     lease all the same
     * @throws LockLostException if the lease is lost
     * @throws IllegalArgumentException if it is negative or too long, with the reason
     * @throws IllegalStateException if the lease was released
     */
    void holdAtLeast(Duration minimum);

    /** Receives the loss of one lease. */
    @FunctionalInterface
    interface LossListener {
        /** @param loss which lease was lost, and why */
        void lost(LockLostException loss);
    }
}
