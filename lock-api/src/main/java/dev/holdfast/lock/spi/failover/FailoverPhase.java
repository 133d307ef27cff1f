package dev.holdfast.lock.spi.failover;

/** The phase of a composite: which store grants. */
public enum FailoverPhase {
    /** The primary grants. */
    PRIMARY,
    /** No store grants. The primary no longer does, and the processes assert their leases of it at the authority. */
    DRAINING,
    /** The authority grants. */
    FALLBACK,
    /** No store grants. The leases of the authority are being copied to the primary. */
    FAILING_BACK;

    /** Whether a store grants in this phase. */
    public boolean grants() {
        return this == PRIMARY || this == FALLBACK;
    }
}
