package dev.holdfast.lock;

/** Which other leases of the same lock a lease excludes. */
public enum LeaseKind {
    /** All others. */
    EXCLUSIVE,
    /** Exclusive ones: the lease of a reader, {@link DistributedLock#shared}. Beside permits it counts as one of them. */
    SHARED,
    /** Those for which too few permits are left: a lease of a {@link DistributedSemaphore} with more than one permit. */
    PERMITS
}
