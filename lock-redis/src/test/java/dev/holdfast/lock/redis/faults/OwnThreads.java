package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** The threads that a test brought about, in a test class that is isolated from others: those that were not there before it. */
final class OwnThreads {

    /** Of all pools of the client library in this JVM, and of JUnit, and of processes. */
    private static final List<String> SHARED = List.of("commons-pool-evictor", "ForkJoinPool", "process reaper");

    private final Set<Thread> before = Thread.getAllStackTraces().keySet();

    /** Runs this on a thread of its own, and returns the result. */
    <T> T call(Callable<T> what) throws Exception {
        FutureTask<T> task = new FutureTask<>(what);
        new Thread(task, "test").start();
        return Await.result(task);
    }

    /** The names of those that have not ended. */
    List<String> names() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> SHARED.stream().noneMatch(name::startsWith))
                .toList();
    }

    /** Waits until all have ended. */
    void awaitEnd() {
        Await.until("no thread is left", () -> names().isEmpty());
    }
}
