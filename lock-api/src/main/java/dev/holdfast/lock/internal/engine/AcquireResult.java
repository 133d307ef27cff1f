package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.Nullable;

/** How asking for a lock ended. */
public sealed interface AcquireResult {

    /** It is held. */
    record Held(StoreLease hold) implements AcquireResult {}

    /** It was busy for as long as the caller was willing to wait. */
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

    /** The caller did not want it any more. */
    record Withdrawn() implements AcquireResult {}
}
