package dev.holdfast.lock.jdbc.waiting;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.jdbc.server.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that want a lock once each, and who was served when. */
final class Crowd {

    private static final Duration HANG = Duration.ofMinutes(5);

    private final List<Thread> threads = new ArrayList<>();
    private final List<Integer> served = Collections.synchronizedList(new ArrayList<>());
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    /** Another thread wants this lock. */
    Thread add(DistributedLock lock, AtomicInteger inside) {
        int number = threads.size();
        Thread thread = new Thread(() -> take(lock, inside, number), "crowd-" + number);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** The same, and returns when it waits, behind all who came before. */
    void addAndAwait(DistributedLock lock, AtomicInteger inside) {
        Thread thread = add(lock, inside);
        Awaiting.until("thread " + thread.getName() + " waits", () -> isWaiting(thread));
    }

    /** Whoever waits for its outcome has its place in the line already. */
    private static boolean isWaiting(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().endsWith(".WaitingThread")
                    && frame.getMethodName().equals("await")) {
                return true;
            }
        }
        return false;
    }

    private void take(DistributedLock lock, AtomicInteger inside, int number) {
        try (Lease lease = lock.acquire(HANG)) {
            if (inside.incrementAndGet() != 1) {
                throw new AssertionError("two hold " + lease);
            }
            served.add(number);
            inside.decrementAndGet();
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(HANG.toMillis());
        }
    }

    /** Who was served, in that order. */
    List<Integer> served() {
        return List.copyOf(served);
    }

    List<Throwable> failures() {
        return List.copyOf(failures);
    }
}
