package dev.holdfast.lock;

import java.time.Duration;

/**
 * Told of what happens to the leases of one {@link Locks}: the hook for metrics and logs.
 *
 * <p>Each listener is called in the order of the events, as far as they are of one lock, and by one thread of Holdfast's at a
 * time, which no lock waits for; never on the caller's thread. What a listener throws is logged.
 *
 * <p>Up to 10,000 events wait for a listener that is slow. Of what comes while so many wait the new is dropped, and a warning
 * counts it; losses and changes of who grants are still taken until 20,000 wait. So this is a hook to watch by, and no means
 * to act on a loss: that is {@link Lease#onLost}, of which nothing is dropped.
 */
public interface LockListener {

    /**
     * A lease was granted.
     *
     * @param waited from the call that asked to the grant
     */
    default void acquired(String name, long fencingToken, Duration waited) {}

    /**
     * A lease was given back.
     *
     * @param held from the grant to the release
     */
    default void released(String name, long fencingToken, Duration held) {}

    /**
     * A renewal got no answer; told once until the store answers again.
     *
     * @param remaining how long the lease lasts if it stays so
     */
    default void unconfirmed(String name, long fencingToken, Duration remaining) {}

    /** A lease was lost. */
    default void lost(String name, long fencingToken, LockLostException loss) {}

    /**
     * A caller gave up waiting: its wait was over, it was interrupted, or the store did not answer.
     *
     * @param waited from the call that asked until it gave up
     */
    default void gaveUp(String name, Duration waited) {}

    /** Who grants has changed, or may change, in a composite of two stores. */
    default void regime(RegimeEvent event) {}
}
