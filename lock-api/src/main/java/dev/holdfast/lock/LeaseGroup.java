package dev.holdfast.lock;

/**
 * Several locks held together, from {@link Locks#acquireAll} until {@link #close()} or until one of them is lost: losing one
 * loses all. The others are then released at once, and the group stays {@link LeaseState#LOST}. Each lease is renewed in the
 * background.
 */
public interface LeaseGroup extends HeldLocks {

    /**
     * {@inheritDoc} The listener and the release of the other locks do not wait for each other.
     *
     * @param listener receives the loss of the first lock that was lost
     */
    @Override
    void onLost(Lease.LossListener listener);

    /**
     * {@inheritDoc} If the store takes longer than one second and one call, the rest is released in the background.
     */
    @Override
    void close();
}
