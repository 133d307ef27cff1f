package dev.holdfast.lock.internal.engine;

/** Who asks for a lock: is told what came of it, and may lend a thread that does nothing but wait for that. */
@FunctionalInterface
public interface AcquireCallback {

    /** The outcome. Called exactly once, on any thread, possibly before {@link Engine#ask} returns; returns soon. */
    void ended(AcquireResult outcome);

    /**
     * Has the thread that waits carry this out: it may block there, and need not be woken once more to hear the answer. Returns
     * at once.
     *
     * @return false if there is no such thread, or it has something else to do: then the task is never run; else it is, once
     */
    default boolean lend(Runnable task) {
        return false;
    }
}
