package dev.holdfast.lock;

/** What a lease excludes. */
public enum LeaseKind {
    /** All other leases of the lock. */
    EXCLUSIVE,
    /** Exclusive leases: the lease of a reader, {@link DistributedLock#shared}. */
    SHARED,
    /** Leases for which too few permits are left: the lease of a {@link DistributedSemaphore} with more than one permit. */
    PERMITS
}
