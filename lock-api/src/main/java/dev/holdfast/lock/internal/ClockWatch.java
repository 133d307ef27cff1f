package dev.holdfast.lock.internal;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Notices within a second that the wall clock went ahead of the monotonic clock: the machine was suspended, and timers, which
 * go by the monotonic clock, are late by as much. Runs only while there is something that may be late.
 */
final class ClockWatch {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Duration JUMP = Duration.ofMillis(500);

    private final Clock clock;
    private final Timers timers;
    private final Runnable onJump;
    private final ReentrantLock guard = new ReentrantLock();
    private int watchedFor;
    private Moment last;
    private Timers.@Nullable Timer timer;

    /** @param onJump called when the wall clock went ahead */
    ClockWatch(Clock clock, Timers timers, Runnable onJump) {
        this.clock = clock;
        this.timers = timers;
        this.onJump = onJump;
        this.last = clock.now();
    }

    /** There is one more that may be late. */
    void begin() {
        guard.lock();
        try {
            if (watchedFor++ == 0) {
                last = clock.now();
                timer = timers.after(PERIOD, this::look);
            }
        } finally {
            guard.unlock();
        }
    }

    /** There is one less. */
    void end() {
        guard.lock();
        try {
            if (--watchedFor == 0 && timer != null) {
                timer.cancel();
            }
        } finally {
            guard.unlock();
        }
    }

    private void look() {
        boolean jumped;
        guard.lock();
        try {
            if (watchedFor == 0) {
                return;
            }
            Moment now = clock.now();
            Duration byWall = Duration.ofMillis(now.wallMillis() - last.wallMillis());
            jumped = byWall.minus(last.until(now)).compareTo(JUMP) > 0;
            last = now;
            timer = timers.after(PERIOD, this::look);
        } finally {
            guard.unlock();
        }
        if (jumped) {
            onJump.run();
        }
    }
}
