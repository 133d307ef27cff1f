package dev.holdfast.lock.spi.failover;

import java.time.Duration;
import java.time.Instant;

/**
 * The record of the authority: which store grants, and since which transition.
 *
 * @param epoch the number of the term, from 1. DRAINING has the epoch of the FALLBACK that follows, FAILING_BACK that of the
 *     PRIMARY that follows
 * @param phase which store grants
 * @param replicationId the replication history of the primary that grants; empty in an epoch in which the primary does not grant
 * @param lease how long a process may act on a reading of this state
 * @param tokenBase less than every token of this epoch
 * @param failureCount the number of consecutive times that the primary failed soon after its activation
 * @param cause the reason for the last transition, for people
 * @param since the instant of the last transition by the authority's clock, for people
 */
public record AuthorityState(
        long epoch,
        FailoverPhase phase,
        String replicationId,
        Duration lease,
        long tokenBase,
        int failureCount,
        String cause,
        Instant since) {

    /** The number of tokens that a primary may grant in one epoch, from {@code tokenBase + 1} on. */
    public static final long TOKENS_PER_EPOCH = 1L << 36;

    /** The term of the primary in this epoch. */
    public PrimaryTerm primaryTerm() {
        return new PrimaryTerm(epoch, replicationId);
    }
}
