package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.concurrent.FutureTask;

/** A thread that acquires a lock, runs an action under it and releases it. It starts at once. */
final class WaitingCaller {

    private final FutureTask<Boolean> task;
    private final Thread thread;
    private volatile boolean granted;

    WaitingCaller(DistributedLock lock, Duration wait, Runnable action) {
        task = new FutureTask<>(() -> {
            try (Lease lease = Kit.acquire(lock, wait)) {
                granted = lease.fencingToken() > 0;
                action.run();
            } catch (InterruptedException | RuntimeException e) {
                throw new RuleBroken("a waiter did not get the lock: " + e, e);
            }
            return true;
        });
        thread = ConcurrentCalls.start("waiter", task);
    }

    /** Whether the caller holds the lock, or has held it. */
    boolean wasGranted() {
        return granted;
    }

    /** Waits until the caller has held the lock and released it. */
    void join() {
        ConcurrentCalls.result(task, thread);
    }
}
