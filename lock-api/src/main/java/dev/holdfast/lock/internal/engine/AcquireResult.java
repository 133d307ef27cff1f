package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.Nullable;

/** How an attempt to acquire a lock ended. */
public sealed interface AcquireResult {

    /** The caller holds the lock, by this holder of the store's lease. */
    record Held(LeaseHolder holder) implements AcquireResult {}

    /** The lock was busy for the whole wait. */
    record Busy() implements AcquireResult {}

    /**
     * The store did not answer.
     *
     * @param message what was asked, and for how long
     * @param cause the last failure, if one is known
     */
    record Unavailable(String message, @Nullable Throwable cause) implements AcquireResult {}

    /** The engine was closed. */
    record Closed() implements AcquireResult {}

    /** The caller gave up. */
    record Withdrawn() implements AcquireResult {}
}
