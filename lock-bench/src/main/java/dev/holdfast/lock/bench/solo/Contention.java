package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.bench.measurement.StartingLine;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that repeatedly acquire one lock and release it at once.
 *
 * @param pairs of acquire and release
 * @param nanos of all
 * @param longestWaitNanos of one acquisition
 */
record Contention(int pairs, long nanos, long longestWaitNanos) {

    private static final long POLL_NANOS = 5_000_000;
    private static final Duration HANG = Duration.ofMinutes(2);

    /** @param processes each {@link Locks} is a process to the store */
    static Contention of(List<Locks> processes, int threadsEach, int pairsEach, String name) throws Exception {
        int count = processes.size() * threadsEach;
        long[] longest = new long[count];
        StartingLine threads = new StartingLine(count, thread -> {
            DistributedLock lock = processes.get(thread / threadsEach).named(name);
            for (int i = 0; i < pairsEach; i++) {
                long asked = System.nanoTime();
                Lease lease = lock.acquire();
                longest[thread] = Math.max(longest[thread], System.nanoTime() - asked);
                lease.close();
            }
        });
        long start = threads.start();
        threads.join();
        long nanos = System.nanoTime() - start;
        return new Contention(
                count * pairsEach, nanos, Arrays.stream(longest).max().orElseThrow());
    }

    /** Waits until the condition is true. */
    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > HANG.toNanos()) {
                throw new IllegalStateException("not within " + HANG.toSeconds() + " s: " + what);
            }
            pause(Duration.ofNanos(POLL_NANOS));
        }
    }

    static void pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
