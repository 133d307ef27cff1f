package dev.holdfast.lock.internal.engine;

/** Receives the result of an acquire. It may lend the thread that waits for that result. */
@FunctionalInterface
public interface AcquireCallback {

    /** Called exactly once, on any thread, possibly before {@link Engine#acquire} returns; returns soon. */
    void completed(AcquireResult result);

    /**
     * Runs the task on the thread that waits for the result: the task may block there, and the thread need not be woken once
     * more to get the result. Returns at once.
     *
     * @return false if there is no such thread, or it has something else to do: then the task never runs; else it runs once
     */
    default boolean runOnWaitingThread(Runnable task) {
        return false;
    }
}
