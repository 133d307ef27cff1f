package dev.holdfast.lock.spi;

/** What a store can do beyond the steps themselves. */
public enum Capability {
    /** An {@link Step.Acquire} that asks for it gets a place in a first-in first-out queue. */
    QUEUE,
    /** {@link LockStore#signals} tells when asking again is worth it. */
    SIGNALS,
    /** {@link LockStore#inspect} shows who holds what. */
    INSPECT
}
