package dev.holdfast.lock;

/**
 * A candidate of an election: called when it becomes the leader, and when it no longer is; see {@link Locks#elect}.
 *
 * <p>The methods are called in turn, {@link #elected} first, each once for each leadership, and never at the same time within one
 * election. They run on a thread of Holdfast that no other work waits for, so they may block.
 */
@FunctionalInterface
public interface LeaderCandidate {

    /**
     * This candidate leads from now on, until the leadership ends: by the loss of the lease, by
     * {@link LeaderElection#yieldLeadership} or by {@link LeaderElection#close}. Returning does not end it.
     *
     * <p>The method may do the leader's work itself. If the leadership ends while it runs, its thread is interrupted, and
     * {@link #revoked} follows once it has returned. Long work without blocking calls asks {@link Lease#isHeld}.
     *
     * @param lease renewed until the leadership ends; its {@link Lease#fencingToken} protects what the leader writes. Closing
     *     the lease yields the leadership
     * @throws Exception ends the leadership and is logged; the next campaign begins after a pause. An
     *     {@link InterruptedException} after the end of the leadership is not logged
     */
    void elected(Lease lease) throws Exception;

    /**
     * The leadership has ended: the candidate stops what it started. Also called if {@link #elected} threw.
     *
     * <p>After a loss, another process may already lead. Otherwise the lock stays held until this method returns, so that the next
     * leader starts after this one has stopped.
     *
     * @param lease the lease that {@link #elected} received; {@link LeaseState#LOST} after a loss
     * @throws Exception is logged
     */
    default void revoked(Lease lease) throws Exception {}
}
