package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Since when the store does not answer for one name, and why. Changed under the lock of the name only. */
final class OutageTracker {

    /** By so much later a caller is told that its limit is reached: a response that is due then says why. */
    static final Duration GRACE = Duration.ofMillis(500);

    /** A timer that is later than this has stood still with the process, as may have the threads that read responses. */
    private static final Duration LATE = Duration.ofMillis(100);

    /** When the first attempt began that has not been answered since; null if the latest one was. */
    private @Nullable DualClockInstant since;

    private @Nullable Throwable cause;
    /** When the latest attempt was sent that was answered; null if none was. */
    private @Nullable DualClockInstant answered;

    /** The store has answered what was sent then. */
    void end(DualClockInstant sent) {
        answered = answered == null ? sent : answered.later(sent);
        since = null;
        cause = null;
    }

    /** An attempt that began then had no usable answer. */
    void goOn(DualClockInstant attemptedAt, @Nullable Throwable why) {
        since = since == null ? attemptedAt : since;
        cause = why;
    }

    /** Whether a timer that was due then is so late that responses may lie unread: it says nothing of the store yet. */
    static boolean isLate(DualClockInstant due, DualClockInstant now) {
        return due.until(now).compareTo(LATE) > 0;
    }

    boolean lasts() {
        return since != null;
    }

    /** Whether it has reached this waiter's limit. */
    boolean isTooLongFor(Waiter waiter, DualClockInstant now) {
        return lasts() && lastedFor(waiter, null, now).compareTo(waiter.policy().outageLimit()) >= 0;
    }

    /**
     * For how long the store has not answered since this waiter came.
     *
     * @param pending when the oldest attempt began that is under way; null if none is
     */
    Duration lastedFor(Waiter waiter, @Nullable DualClockInstant pending, DualClockInstant now) {
        DualClockInstant start = since;
        if (start == null && pending != null) {
            start = answered == null ? pending : pending.later(answered);
        }
        Duration lasted = start == null ? Duration.ZERO : start.until(now);
        Duration waited = waiter.waited(now);
        return lasted.compareTo(waited) < 0 ? lasted : waited;
    }

    /** What a waiter is told. */
    AcquireResult result(Waiter waiter, LockName name, DualClockInstant now) {
        Duration lasted = lasts() ? lastedFor(waiter, null, now) : waiter.waited(now);
        return new AcquireResult.Unavailable(
                "the store did not answer for " + lasted.toMillis() + " ms when asked for '" + name + "'"
                        + (cause == null ? "" : ": " + cause),
                cause);
    }
}
