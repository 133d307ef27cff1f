package dev.holdfast.lock;

/** Where a {@link Lease} stands. LOST and RELEASED are final. */
public enum LeaseState {
    /** The store confirmed the lease, and the confirmed time is not over. */
    HELD,
    /**
     * The store could not be asked when the lease was to be renewed, and the time it confirmed before is not over. Nobody
     * else can hold the lock yet; but unless the store answers within {@link Lease#remaining()} the lease will be lost.
     */
    UNCONFIRMED,
    /** The confirmed time is over, or the store said that it no longer knows the lease. Somebody else may hold the lock. */
    LOST,
    /** The holder gave the lease back. */
    RELEASED
}
