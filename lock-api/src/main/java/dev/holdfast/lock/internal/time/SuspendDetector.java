package dev.holdfast.lock.internal.time;

import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notices within a second that the wall clock went ahead of the monotonic clock: the machine was suspended, and timers, which
 * go by the monotonic clock, are late by as much. Runs only while there is something that may be late, and once more: an
 * application that keeps taking a lock for a moment does not set a timer each time.
 */
public final class SuspendDetector {

    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final Duration JUMP = Duration.ofMillis(500);

    private final Clock clock;
    private final Timers timers;
    private final Runnable onJump;
    private final AtomicInteger watchedFor = new AtomicInteger();
    private final AtomicBoolean running = new AtomicBoolean();

    /** @param onJump called when the wall clock went ahead */
    public SuspendDetector(Clock clock, Timers timers, Runnable onJump) {
        this.clock = clock;
        this.timers = timers;
        this.onJump = onJump;
    }

    /** Counts one more lease. */
    public void begin() {
        watchedFor.incrementAndGet();
        runUnlessRunning();
    }

    /** Counts one lease less. */
    public void end() {
        watchedFor.decrementAndGet();
    }

    private void runUnlessRunning() {
        if (!running.get() && running.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private void lookLater() {
        DualClockInstant last = clock.now();
        try {
            Timers.Timer unused = timers.after(PERIOD, () -> look(last));
        } catch (RuntimeException | Error e) { // the next call tries again
            running.set(false);
            throw e;
        }
    }

    private void look(DualClockInstant last) {
        DualClockInstant now = clock.now();
        lookLaterOrEnd(); // first, as the reaction to a jump may fail
        Duration byWall = Duration.ofNanos(now.wallNanos() - last.wallNanos());
        if (byWall.minus(last.until(now)).compareTo(JUMP) > 0) {
            onJump.run();
        }
    }

    private void lookLaterOrEnd() {
        if (watchedFor.get() > 0) {
            lookLater();
            return;
        }
        running.set(false);
        if (watchedFor.get() > 0) { // a lease may have begun since that was decided
            runUnlessRunning();
        }
    }
}
