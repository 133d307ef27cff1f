package dev.holdfast.lock;

import java.util.Optional;

/**
 * The campaign of one {@link LeaderCandidate} for a lock, from {@link Locks#elect} until {@link #close}. The leader is the holder of
 * the lock. The campaign goes on after each leadership, and while the store does not answer.
 *
 * <p>Leadership ends no later than the lease. As with every lease, only the {@link Lease#fencingToken}, checked by the resource,
 * excludes the writes of a former leader that was suspended.
 *
 * <p>Thread-safe.
 */
public interface LeaderElection extends AutoCloseable {

    /** The name of the lock. */
    String name();

    /**
     * Whether the candidate leads at this instant, by this process's own clocks: from the grant of the lease, which is shortly
     * before {@link LeaderCandidate#elected} is called, until the leadership begins to end.
     */
    boolean isLeader();

    /** The lease of the present leadership; empty if the candidate does not lead. */
    Optional<Lease> lease();

    /**
     * Ends the present leadership and campaigns again, behind the waiting candidates. Does nothing if the candidate does not
     * lead. Returns at once: {@link LeaderCandidate#revoked} runs on the candidate's own thread, and then the lock is released.
     */
    void yieldLeadership();

    /**
     * Ends the campaign, and the leadership if there is one: the candidate is revoked, and then the lock is released. Waits at most
     * ten seconds for that, and not at all if the candidate itself calls it or the thread is interrupted; the rest then happens in
     * the background. A second call does nothing. Never throws, even while the store does not answer.
     */
    @Override
    void close();
}
