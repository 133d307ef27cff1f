package dev.holdfast.lock.testing;

import java.util.concurrent.Executor;

/**
 * Runs each task on a thread of its own. The executor that {@link java.util.concurrent.CompletableFuture} takes by itself may have one
 * thread for all tasks, and one of them that waits for another then waits for ever.
 */
public final class OwnThread {

    public static final Executor EACH = task -> new Thread(task, "test").start();

    private OwnThread() {}
}
