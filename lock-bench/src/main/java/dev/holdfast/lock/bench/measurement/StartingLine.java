package dev.holdfast.lock.bench.measurement;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that wait until all of them start at once. */
public final class StartingLine {

    private final CountDownLatch start = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    /** The task of each thread. */
    @FunctionalInterface
    public interface Task {
        void run(int thread) throws Exception;
    }

    /** Creates the threads, and returns when all are ready. */
    public StartingLine(int size, Task task) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(size);
        for (int i = 0; i < size; i++) {
            int index = i;
            Thread thread = new Thread(() -> run(ready, task, index), "contender-" + index);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        ready.await();
    }

    private void run(CountDownLatch ready, Task task, int index) {
        try {
            ready.countDown();
            start.await();
            task.run(index);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Starts all threads, and returns the instant before the start. */
    public long start() {
        long now = System.nanoTime();
        start.countDown();
        return now;
    }

    /** Waits for all threads, and throws the first exception of any of them. */
    public void join() throws Exception {
        for (Thread thread : threads) {
            thread.join();
        }
        @Nullable Throwable first = failure.get();
        if (first != null) {
            throw new Exception("in one of " + threads.size() + " threads: " + first, first);
        }
    }
}
