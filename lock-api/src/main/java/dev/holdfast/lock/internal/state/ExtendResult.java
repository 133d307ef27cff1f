package dev.holdfast.lock.internal.state;

/** How a call of extend ended. */
public sealed interface ExtendResult {

    /** The store confirmed the length that was asked for. */
    record Extended() implements ExtendResult {}

    /**
     * The store did not confirm it in time: the lease keeps its former end, whatever reached the store.
     *
     * @param cause the last failure
     */
    record Unconfirmed(Throwable cause) implements ExtendResult {}

    /** The lease was lost or released. */
    record Ended() implements ExtendResult {}
}
