package dev.holdfast.lock.redis.waiting;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** Threads that start together and want the same lock once each. */
final class Race {

    private final Contestant contestant;
    private final Stock stock;
    private final CountDownLatch start = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private final Collection<Held> holds = new ConcurrentLinkedQueue<>();
    private final Collection<Throwable> failures = new ConcurrentLinkedQueue<>();

    /**
     * When a thread had the lock, by the machine's monotonic clock.
     *
     * @param number of the thread
     */
    record Held(int number, long from, long until) {}

    /** Threads with these numbers, all of which are ready when this returns. */
    Race(Contestant contestant, Stock stock, int from, int to) throws InterruptedException {
        this.contestant = contestant;
        this.stock = stock;
        CountDownLatch ready = new CountDownLatch(to - from);
        for (int number = from; number < to; number++) {
            int own = number;
            Thread thread = new Thread(() -> take(own, ready), "race-" + number);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        ready.await();
    }

    private void take(int number, CountDownLatch ready) {
        try {
            ready.countDown();
            start.await();
            long[] from = new long[1];
            contestant.once(() -> {
                from[0] = System.nanoTime();
                stock.takeOne();
            });
            holds.add(new Held(number, from[0], System.nanoTime()));
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    /** Starts them, and returns when the last has given the lock back. */
    List<Held> run() throws InterruptedException {
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        failures.stream().findFirst().ifPresent(failure -> {
            throw new IllegalStateException(failures.size() + " failed", failure);
        });
        return List.copyOf(holds);
    }
}
