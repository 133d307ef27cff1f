package dev.holdfast.lock.jdbc.contention;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Hold;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that acquire a lock once each, and their leases. */
final class WaitingThreads implements AutoCloseable {

    private final History history = new History();
    private final List<Future<?>> all = new ArrayList<>();
    private final Queue<Thread> begun = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Another thread wants this lock; the holder's name has the number of the thread behind it. */
    void add(String holder, DistributedLock lock) {
        Claims claims = history.claimsOf(holder + " " + all.size());
        all.add(threads.submit(() -> {
            begun.add(Thread.currentThread());
            return take(lock, claims);
        }));
    }

    /** Returns when each thread that was added waits. */
    void awaitAll() {
        Await.until(
                "all wait", () -> begun.size() == all.size() && begun.stream().allMatch(WaitingThreads::isWaiting));
    }

    /** The same, and returns when it waits, behind all that came before. */
    void addAndAwait(DistributedLock lock) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Claims claims = history.claimsOf("thread " + all.size());
        all.add(threads.submit(() -> {
            begun.add(Thread.currentThread());
            thread.set(Thread.currentThread());
            return take(lock, claims);
        }));
        Await.until("thread " + all.size() + " waits", () -> thread.get() != null && isWaiting(thread.get()));
    }

    /** A thread that waits for its outcome has its place in the line already. */
    private static boolean isWaiting(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().endsWith(".WaitingThread")
                    && frame.getMethodName().equals("await")) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Void take(DistributedLock lock, Claims claims) {
        try (Lease lease = Await.lease(lock)) {
            claims.hold(lease);
        }
        return null;
    }

    /** Waits until each has had its lock, and throws what any died of; then judges. */
    void join() throws Exception {
        for (Future<?> each : all) {
            Await.result(each);
        }
        history.verify(all.size());
    }

    /** What was held, in the order of the grants. */
    List<Hold> holds() {
        return history.holds().stream()
                .sorted(Comparator.comparingLong(Hold::token))
                .toList();
    }

    /** The numbers of the threads in that order. */
    List<Integer> served() {
        return holds().stream().map(hold -> number(hold.holder())).toList();
    }

    private static int number(String holder) {
        return Integer.parseInt(holder.substring(holder.lastIndexOf(' ') + 1));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
