package dev.holdfast.lock.internal;

import org.jspecify.annotations.Nullable;

/** How asking for a lock ended. */
public sealed interface Outcome {

    /** It is held. */
    record Held(Hold hold) implements Outcome {}

    /** It was busy for as long as the caller was willing to wait. */
    record Busy() implements Outcome {}

    /**
     * The store did not answer.
     *
     * @param message what was asked, and for how long
     * @param cause the last failure, if one is known
     */
    record Unavailable(String message, @Nullable Throwable cause) implements Outcome {}

    /** The engine was closed. */
    record Closed() implements Outcome {}

    /** The caller did not want it any more. */
    record Withdrawn() implements Outcome {}
}
