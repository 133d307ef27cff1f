package dev.holdfast.lock.locks;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.time.DaemonThreads;
import dev.holdfast.lock.internal.time.Threads;
import dev.holdfast.lock.internal.time.Timers.Timer;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The time of an engine and its store; it passes only when a test says so. Thread-safe. */
public final class SteppedTime implements Clock, InstantSource {

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration STEP = Duration.ofMillis(500);

    /** A scheduled task; no two are equal. */
    private static final class Due {
        private final long at;
        private final Runnable task;

        Due(long at, Runnable task) {
            this.at = at;
            this.task = task;
        }
    }

    private final ReentrantLock guard = new ReentrantLock();
    private final List<Due> timers = new ArrayList<>();
    private final Set<SteppedThreads> open = ConcurrentHashMap.newKeySet();
    private volatile long now;

    /** The threads of one {@code Locks}, with timers of this time. */
    public Threads threads() {
        SteppedThreads threads = new SteppedThreads();
        open.add(threads);
        return threads;
    }

    /** Counts the tasks of pools: store calls and what follows from their replies. */
    private final class SteppedThreads implements Threads {

        private final DaemonThreads threads = new DaemonThreads();
        private final AtomicInteger tasks = new AtomicInteger();

        @Override
        public Timer after(Duration delay, Runnable task) {
            return SteppedTime.this.after(delay, task);
        }

        @Override
        public Executor pool(String name, int size) {
            Executor pool = threads.pool(name, size);
            return task -> {
                tasks.incrementAndGet();
                pool.execute(() -> {
                    try {
                        task.run();
                    } finally {
                        tasks.decrementAndGet();
                    }
                });
            };
        }

        @Override
        public Executor asNeeded(String name) {
            return threads.asNeeded(name);
        }

        @Override
        public void close() {
            open.remove(this); // later tasks are dropped, and never end
            threads.close();
        }
    }

    @Override
    public DualClockInstant now() {
        return DualClockInstant.of(now, instant());
    }

    @Override
    public Instant instant() {
        return BEGINNING.plusNanos(now);
    }

    private Timer after(Duration delay, Runnable task) {
        guard.lock();
        try {
            Due due = new Due(now + Math.max(0, delay.toNanos()), task);
            timers.add(due);
            return () -> cancel(due);
        } finally {
            guard.unlock();
        }
    }

    private void cancel(Due due) {
        guard.lock();
        try {
            timers.remove(due);
        } finally {
            guard.unlock();
        }
    }

    /** Whether a task is scheduled after exactly this delay. */
    public boolean isSet(Duration delay) {
        guard.lock();
        try {
            return timers.stream().anyMatch(due -> due.at == now + delay.toNanos());
        } finally {
            guard.unlock();
        }
    }

    /** Lets time pass, and runs the tasks that become due on this thread, each at its time. */
    public void pass(Duration duration) {
        long end = now + duration.toNanos();
        for (Due due = next(end); due != null; due = next(end)) {
            due.task.run();
        }
    }

    /** As if the process stood still: time passes, and what has become due runs late, with the next {@link #pass}. */
    public void stall(Duration duration) {
        guard.lock();
        try {
            long end = now + duration.toNanos();
            now = end;
        } finally {
            guard.unlock();
        }
    }

    /** Advances to the next task that is due by then and returns it; without one, advances to the end and returns null. */
    private @Nullable Due next(long end) {
        guard.lock();
        try {
            Due first = timers.stream()
                    .filter(due -> due.at <= end)
                    .min(Comparator.comparingLong(due -> due.at))
                    .orElse(null);
            now = Math.max(now, first == null ? end : first.at);
            timers.remove(first);
            return first;
        } finally {
            guard.unlock();
        }
    }

    /** Closes these, and lets time pass meanwhile: a store that does not answer keeps a close waiting up to its limit. */
    public void close(Locks... all) {
        for (Locks locks : all) {
            CompletableFuture<Boolean> closed = new CompletableFuture<>();
            Thread closing = new Thread(() -> {
                locks.close();
                closed.complete(true);
            });
            closing.start();
            passUntil("the locks are closed", closed::isDone);
        }
    }

    /** Waits until each store call of the background has its reply, so that a slow machine is no slow store. */
    public void settle() {
        Await.until(
                "the calls in the background have ended",
                () -> open.stream().allMatch(threads -> threads.tasks.get() == 0));
    }

    /** Lets time pass until the condition is true: at any speed of the machine, as much as the calls in the background take. */
    public void passUntil(String what, Callable<Boolean> condition) {
        Await.until(what, () -> {
            settle();
            boolean isTrue = condition.call();
            if (!isTrue) {
                pass(STEP);
            }
            return isTrue;
        });
    }
}
