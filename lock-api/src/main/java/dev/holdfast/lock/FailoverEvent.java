package dev.holdfast.lock;

import java.time.Duration;

/**
 * A step of a failover or failback in a composite of two stores.
 *
 * @param kind what happened
 * @param epoch the number of the term, greater for a later one
 * @param cause the reason, for people
 * @param after the duration of the previous state, as seen by this process; for a suspicion, the time for which the primary has not
 *     answered
 * @param transferredLeases the number of leases of this process that were transferred into this epoch, or were being transferred
 *     when the process noticed the change
 */
public record FailoverEvent(Kind kind, long epoch, String cause, Duration after, int transferredLeases) {

    /** The kinds of events. */
    public enum Kind {
        /** This process cannot reach the primary. The primary goes on granting unless most processes cannot reach it. */
        PRIMARY_SUSPECTED,
        /** No store grants: the primary no longer does and the fallback does not yet. Held leases stay held. */
        PRIMARY_DRAINING,
        /** The fallback grants. */
        FALLBACK_ACTIVE,
        /** No store grants: the leases of the fallback are being copied to the primary. */
        FAILING_BACK,
        /** The primary grants. */
        PRIMARY_ACTIVE
    }
}
