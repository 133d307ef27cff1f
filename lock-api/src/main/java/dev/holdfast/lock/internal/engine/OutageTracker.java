package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Since when a store does not answer a line, and why. Touched under the line's lock only. */
final class OutageTracker {

    /** So much later a caller is told than its patience is over: a reply that is due then says why. */
    static final Duration GRACE = Duration.ofMillis(500);

    /** A timer that is later than this has stood still with the process, as may have what reads the replies. */
    private static final Duration LATE = Duration.ofMillis(100);

    private final Engine engine;
    /** When the first attempt was begun that has not been answered since; null if the latest one was. */
    private @Nullable DualClockInstant since;

    private @Nullable Throwable because;
    /** When the latest attempt was sent that was answered; null if none was. */
    private @Nullable DualClockInstant answered;

    OutageTracker(Engine engine) {
        this.engine = engine;
    }

    /** The store has said something to what was sent then. */
    void end(DualClockInstant sent) {
        answered = answered == null ? sent : answered.later(sent);
        since = null;
        because = null;
    }

    /** Nothing of use came of an attempt that was begun then. */
    void goOn(DualClockInstant attemptedAt, @Nullable Throwable why) {
        since = since == null ? attemptedAt : since;
        because = why;
    }

    /** Whether a timer that was due then is so late that replies may lie unread: nothing is said of the store yet. */
    static boolean isLate(DualClockInstant due, DualClockInstant now) {
        return due.until(now).compareTo(LATE) > 0;
    }

    boolean lasts() {
        return since != null;
    }

    /** Whether it has lasted for as long as this waiter bears it. */
    boolean isTooLongFor(Waiter waiter) {
        return lasts() && towards(waiter, null).compareTo(waiter.patience().silence()) >= 0;
    }

    /**
     * For how long the store has said nothing since this waiter came.
     *
     * @param pending when the oldest attempt was begun that is on its way; null if none is
     */
    Duration towards(Waiter waiter, @Nullable DualClockInstant pending) {
        DualClockInstant start = since;
        if (start == null && pending != null) {
            start = answered == null ? pending : pending.later(answered);
        }
        Duration silent = start == null ? Duration.ZERO : start.until(engine.now());
        Duration waited = waiter.waited();
        return silent.compareTo(waited) < 0 ? silent : waited;
    }

    /** What a waiter is told of it. */
    AcquireResult outcome(Waiter waiter, LockName name) {
        Duration silent = lasts() ? towards(waiter, null) : waiter.waited();
        String why = because == null ? "" : ": " + because;
        return new AcquireResult.Unavailable(
                "the store did not answer for " + silent.toMillis() + " ms when asked for '" + name + "'" + why,
                because);
    }
}
