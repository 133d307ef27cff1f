package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Since when the store has not answered for one name, and when to check whether that reaches the limits of waiters. One check serves all
 * of them: there may be thousands that come and go. While the store has suspended its grants, a single attempt has an outage, and a
 * caller that may wait does not. Changed under the lock of the name only.
 */
final class OutageTracker {

    /** The check may come sooner by this much, to share a timer with others; a power of two. */
    static final long CHECK_SLACK_NANOS = 1L << 25;

    /** When the first attempt began that has not been answered since; null if the latest one was. */
    private @Nullable DualClockInstant since;
    /** When the first attempt began since which nothing has shown whether the lock is free; null if the latest one did. */
    private @Nullable DualClockInstant inDoubtSince;

    private @Nullable Throwable cause;
    /** When the latest attempt was sent that was answered; null if none was. */
    private @Nullable DualClockInstant answered;

    /** When the next check is due; null if none is planned. */
    private @Nullable DualClockInstant checkAt;
    /** The previous check was late, and so decided nothing. */
    private boolean checkedLate;

    /** The store has answered what was sent then. */
    void answered(DualClockInstant sent) {
        noteAnswer(sent);
        inDoubtSince = null;
        cause = null;
    }

    private void noteAnswer(DualClockInstant sent) {
        answered = answered == null ? sent : answered.later(sent);
        since = null;
    }

    /** The store grants nothing for now, as it has replied to an attempt that began then. */
    void suspended(DualClockInstant sent, DualClockInstant attemptedAt, Throwable why) {
        noteAnswer(sent);
        noteDoubt(attemptedAt, why);
    }

    /** An attempt that began then had no usable reply. */
    void failed(DualClockInstant attemptedAt, @Nullable Throwable why) {
        since = since == null ? attemptedAt : since;
        noteDoubt(attemptedAt, why);
    }

    private void noteDoubt(DualClockInstant attemptedAt, @Nullable Throwable why) {
        inDoubtSince = inDoubtSince == null ? attemptedAt : inDoubtSince;
        cause = why;
    }

    boolean lasts() {
        return since != null;
    }

    /** Whether the latest attempt does not show whether the lock is free. */
    boolean isInDoubt() {
        return inDoubtSince != null;
    }

    /** Whether it has reached this waiter's limit. */
    boolean isTooLongFor(WaitState waiter, DualClockInstant now) {
        return isInDoubt()
                && lastedFor(waiter, null, now).compareTo(waiter.policy().outageLimit()) >= 0;
    }

    /**
     * For how long the store has not answered since this waiter came.
     *
     * @param pending when the oldest attempt began that is under way; null if none is
     */
    Duration lastedFor(WaitState waiter, @Nullable DualClockInstant pending, DualClockInstant now) {
        DualClockInstant start = waiter.policy().asksOnce() ? inDoubtSince : since;
        if (start == null && pending != null) {
            start = answered == null ? pending : pending.later(answered);
        }
        Duration lasted = start == null ? Duration.ZERO : start.until(now);
        Duration waited = waiter.waited(now);
        return Durations.min(lasted, waited);
    }

    /** Tells a waiter that the outage ends. */
    void tell(WaitState waiter, LockName name, StateTransition transition) {
        DualClockInstant now = transition.now();
        Duration lasted = lasts() ? lastedFor(waiter, null, now) : waiter.waited(now);
        waiter.unavailable(
                "no result from the store for " + lasted.toMillis() + " ms when asked for '" + name + "'"
                        + (cause == null ? "" : ": " + CauseLine.of(cause)),
                cause,
                transition);
    }

    // --- The check.

    /**
     * Plans the check after this delay.
     *
     * @return false if an earlier one is planned
     */
    boolean planCheck(Duration delay, DualClockInstant now) {
        DualClockInstant at = now.plus(delay);
        if (checkAt != null && !checkAt.until(at).isNegative()) {
            return false;
        }
        checkAt = at;
        return true;
    }

    boolean isCheckPlanned() {
        return checkAt != null;
    }

    /** The timer of the check could not be set. */
    void timerFailed() {
        checkAt = null;
    }

    /**
     * Begins the check that was planned.
     *
     * @return false if it is so late that it decides nothing, and has to be planned again
     */
    boolean beginCheck(DualClockInstant now) {
        DualClockInstant due = checkAt;
        checkAt = null;
        checkedLate = !checkedLate && due != null && StateTransition.Alarm.isLate(due, now); // only once: it has to end
        return !checkedLate;
    }
}
