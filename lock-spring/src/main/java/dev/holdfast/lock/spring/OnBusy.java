package dev.holdfast.lock.spring;

/** What a {@link Locked} method does if its lock stays busy for the whole wait. */
public enum OnBusy {

    /** The call throws {@link dev.holdfast.lock.LockTimeoutException}; the body does not run. */
    THROW,

    /**
     * The call returns without running the body: an empty {@code Optional}, null, or nothing for {@code void}. A method that
     * returns a {@code CompletableFuture} or {@code CompletionStage} returns one that is completed with such a value. A publisher
     * completes without an element, and a {@code suspend} function returns null. A method whose result cannot be absent is refused
     * at start-up: a primitive, a publisher of exactly one element, or the non-null result of a {@code suspend} function.
     *
     * <p>Only a busy lock is skipped. A store that does not answer is a
     * {@link dev.holdfast.lock.LockUnavailableException} here as well.
     */
    SKIP
}
