package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.testing.Await;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Tells the threads that a test brought about from those of others: each is of the group of the one that started it. */
final class OwnThreads {

    /** Of all pools of the client library in this JVM. */
    private static final String SHARED = "commons-pool-evictor";

    private final ThreadGroup group = new ThreadGroup("of one test");

    /** Runs this on a thread of the group, and returns the result. */
    <T> T call(Callable<T> what) throws Exception {
        FutureTask<T> task = new FutureTask<>(what);
        new Thread(group, task, "test").start();
        return Await.result(task);
    }

    /** The names of those that have not ended. */
    List<String> names() {
        Thread[] threads = new Thread[1_000];
        int count = group.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .map(Thread::getName)
                .filter(name -> !name.equals(SHARED))
                .toList();
    }

    /** Waits until all have ended. */
    void awaitEnd() {
        Await.until("no thread is left", () -> names().isEmpty());
    }
}
