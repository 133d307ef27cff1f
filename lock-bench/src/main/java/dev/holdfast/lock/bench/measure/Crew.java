package dev.holdfast.lock.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that stand at a gate until all of them are let go at once. */
final class Crew {

    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Returns when all stand there. */
    Crew(int size, Work work) throws InterruptedException {
        CountDownLatch there = new CountDownLatch(size);
        for (int i = 0; i < size; i++) {
            int index = i;
            Thread thread = new Thread(
                    () -> {
                        try {
                            there.countDown();
                            gate.await();
                            work.run(index);
                        } catch (Throwable e) {
                            failure.compareAndSet(null, e);
                        }
                    },
                    "crew-" + index);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        there.await();
    }

    /** What each of them does. */
    @FunctionalInterface
    interface Work {
        void run(int index) throws Exception;
    }

    /**
     * Lets them go.
     *
     * @return the instant before
     */
    long go() {
        long now = System.nanoTime();
        gate.countDown();
        return now;
    }

    /** Waits for all of them. */
    void join() throws Exception {
        for (Thread thread : threads) {
            thread.join();
        }
        @Nullable Throwable first = failure.get();
        if (first != null) {
            throw new Exception("in one of " + threads.size() + " threads: " + first, first);
        }
    }
}
