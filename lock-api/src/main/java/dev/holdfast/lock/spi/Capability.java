package dev.holdfast.lock.spi;

/** The optional abilities of a store. */
public enum Capability {
    /** The store keeps first-in first-out queues for {@link LockCommand.Acquire}. */
    QUEUE,
    /** {@link LockStore#subscribe} notifies waiters. Only beside {@link #QUEUE}. */
    NOTIFICATIONS,
    /** {@link LockStore#list} lists locks, holders and waiters. */
    LIST,
    /** The store grants {@linkplain Share shares} other than {@link Share#EXCLUSIVE}. Only beside {@link #QUEUE}. */
    SHARES
}
