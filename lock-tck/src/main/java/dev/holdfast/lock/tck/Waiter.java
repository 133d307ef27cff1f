package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A thread that waits for a lock, does something under it and gives it back. Begins at once. */
final class Waiter {

    private static final int HANGING_AFTER_SECONDS = 90;

    private final FutureTask<Boolean> task;
    private volatile boolean served;

    Waiter(DistributedLock lock, Duration wait, Runnable inside) {
        task = new FutureTask<>(() -> {
            try (Lease lease = Kit.acquire(lock, wait)) {
                served = lease.fencingToken() > 0;
                inside.run();
            }
            return true;
        });
        Thread thread = new Thread(task, "waiter");
        thread.setDaemon(true);
        thread.start();
    }

    /** Whether it has had the lock. */
    boolean isServed() {
        return served;
    }

    /** Waits until it has had the lock and has given it back. */
    void join() {
        try {
            task.get(HANGING_AFTER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Broken broken = new Broken("a waiter did not get the lock: " + e.getCause());
            broken.initCause(e.getCause());
            throw broken;
        } catch (TimeoutException e) {
            throw new Broken("a waiter still hangs after " + HANGING_AFTER_SECONDS + " seconds");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
