package dev.holdfast.lock.locks;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.failover.Clock;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The time of an engine and its store; it passes only when a test says so. Thread-safe. */
public final class SteppedTime implements Clock, Timers, InstantSource {

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
    private volatile long now;

    @Override
    public DualClockInstant now() {
        return DualClockInstant.of(now, instant());
    }

    @Override
    public Instant instant() {
        return BEGINNING.plusNanos(now);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
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

    /** Lets time pass until the condition is true. On a slow machine much time passes, so that no lease may be in use. */
    public void passUntil(String what, Callable<Boolean> condition) {
        Await.until(what, () -> {
            boolean isTrue = condition.call();
            if (!isTrue) {
                pass(STEP);
            }
            return isTrue;
        });
    }
}
