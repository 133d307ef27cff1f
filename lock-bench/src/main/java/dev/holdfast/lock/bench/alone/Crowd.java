package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that all want the same lock, again and again, and give it back at once.
 *
 * @param pairs how often it was acquired and released
 * @param nanos how long that took
 * @param longestWaitNanos how long the unluckiest one waited
 */
record Crowd(int pairs, long nanos, long longestWaitNanos) {

    /**
     * Has them begin together, and waits until all are through.
     *
     * @param processes each {@link Locks} is one, as far as the store can see
     * @param threads of each
     * @param pairs of each thread
     */
    static Crowd of(List<Locks> processes, int threads, int pairs, String name)
            throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(processes.size() * threads);
        CountDownLatch ready = new CountDownLatch(processes.size() * threads);
        CountDownLatch begin = new CountDownLatch(1);
        try {
            List<Future<Long>> waits = new ArrayList<>();
            for (Locks process : processes) {
                DistributedLock lock = process.named(name);
                for (int i = 0; i < threads; i++) {
                    waits.add(pool.submit(() -> {
                        ready.countDown();
                        begin.await();
                        return longestWait(lock, pairs);
                    }));
                }
            }
            ready.await();
            long start = System.nanoTime();
            begin.countDown();
            List<Long> longest = new ArrayList<>();
            for (Future<Long> wait : waits) {
                longest.add(wait.get());
            }
            return new Crowd(processes.size() * threads * pairs, System.nanoTime() - start, Collections.max(longest));
        } finally {
            pool.shutdownNow();
        }
    }

    private static long longestWait(DistributedLock lock, int pairs) throws InterruptedException {
        long longest = 0;
        for (int i = 0; i < pairs; i++) {
            long asked = System.nanoTime();
            Lease lease = lock.acquire();
            longest = Math.max(longest, System.nanoTime() - asked);
            lease.close();
        }
        return longest;
    }

    double pairsPerSecond() {
        return pairs / (nanos / 1e9);
    }

    double longestWaitMillis() {
        return longestWaitNanos / 1e6;
    }
}
