package dev.holdfast.lock.spring;

/** What a {@link Locked} method does if its lock stays busy for the whole wait. */
public enum OnBusy {

    /** The call throws {@link dev.holdfast.lock.LockTimeoutException}; the body does not run. */
    THROW,

    /**
     * The call returns without running the body: an empty {@code Optional}, null, or nothing for {@code void}. A method that
     * returns a {@code CompletableFuture} or {@code CompletionStage} returns one that is completed with such a value. A
     * method with a primitive result is refused at start-up, as no value of it could mean "skipped".
     *
     * <p>Only a busy lock is skipped. A store that does not answer is a
     * {@link dev.holdfast.lock.LockUnavailableException} here as well.
     */
    SKIP
}
