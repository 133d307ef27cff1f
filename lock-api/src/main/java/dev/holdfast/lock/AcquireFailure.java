package dev.holdfast.lock;

/** Why an attempt to acquire a lock ended without the lock. */
public enum AcquireFailure {
    /** The store answered, and the lock was busy to the end of the wait. */
    BUSY,
    /** The store did not answer. Whether the lock is free is unknown. */
    UNAVAILABLE,
    /** The caller withdrew, for example by an interrupt or by cancelling its future, or the {@link Locks} were closed. */
    CANCELLED
}
