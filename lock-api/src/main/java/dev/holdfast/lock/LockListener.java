package dev.holdfast.lock;

import java.time.Duration;

/**
 * Receives the events of the leases of one {@link Locks}, for metrics and logs.
 *
 * <p>Each listener receives the events of one lock in their order, on one thread of Holdfast at a time and never on the
 * caller's thread. No lock waits for a listener. An exception thrown by a listener is logged.
 *
 * <p>Up to 10,000 events are queued for a slow listener. Further events are dropped, and a warning counts them; losses and
 * failover events are queued up to 20,000. So use a listener only to observe. To act on a loss, use
 * {@link Lease#onLost}, which drops nothing.
 */
public interface LockListener {

    /**
     * A lease was granted.
     *
     * @param waited the time from the call to the grant
     */
    default void acquired(String name, LeaseKind kind, long fencingToken, Duration waited) {}

    /**
     * A lease was released.
     *
     * @param held the time from the grant to the release
     */
    default void released(String name, LeaseKind kind, long fencingToken, Duration held) {}

    /**
     * The store did not answer a renewal. Reported once until the store answers again; {@link #confirmed}, {@link #lost} or
     * {@link #released} of the same token follows.
     *
     * @param remaining the time left of the lease if the store stays silent
     */
    default void unconfirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {}

    /**
     * The store has answered a renewal again, after {@link #unconfirmed}.
     *
     * @param remaining the time left of the lease if nothing renews it from now on
     */
    default void confirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {}

    /**
     * A lease was lost.
     *
     * @param held the time from the grant to the loss
     */
    default void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {}

    /**
     * An attempt ended without the lock.
     *
     * @param kind the kind of the lease that was requested
     * @param waited the time from the call to its end
     */
    default void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {}

    /** The granting store of a composite has changed or is about to change. */
    default void failover(FailoverEvent event) {}
}
