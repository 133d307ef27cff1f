package dev.holdfast.lock;

/** The state of a {@link Lease}. LOST and RELEASED are final. */
public enum LeaseState {
    /** The store confirmed the lease, and the confirmed time has not passed. */
    HELD,
    /**
     * The store did not answer the renewal, and the time that it had confirmed has not passed. The lock cannot have another
     * holder yet, but unless the store answers within {@link Lease#remaining()} the lease will be lost.
     */
    UNCONFIRMED,
    /** The confirmed time has passed, or the store no longer knows the lease. The lock may have another holder. */
    LOST,
    /** The holder released the lease. */
    RELEASED
}
