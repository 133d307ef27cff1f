package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Since when the store has not answered for one name, and the timer that ends waiters whose limit for that is reached. One timer
 * serves all of them: there may be thousands that come and go. Changed under the lock of the name only.
 */
final class OutageTracker {

    /** A caller is told that its limit is reached later by this much: a response that is due by then says why. */
    static final Duration GRACE = Duration.ofMillis(500);

    /** A timer that is later than this shows that the process stood still, and with it the threads that read responses. */
    private static final Duration LATE = Duration.ofMillis(100);

    /** The check may come sooner by this much, to share a timer with others; a power of two. */
    private static final long CHECK_SLACK_NANOS = 1L << 25;

    private final Engine engine;
    private final WaitQueue queue;
    private final AcquireRequests requests;

    /** When the first attempt began that has not been answered since; null if the latest one was. */
    private @Nullable DualClockInstant since;

    private @Nullable Throwable cause;
    /** When the latest attempt was sent that was answered; null if none was. */
    private @Nullable DualClockInstant answered;

    private CoalescingTimer.@Nullable Alarm timer;
    /** When the next check is due; null if the timer is not set. */
    private @Nullable DualClockInstant checkAt;
    /** The previous check was late, and so decided nothing. */
    private boolean checkedLate;

    OutageTracker(Engine engine, WaitQueue queue, AcquireRequests requests) {
        this.engine = engine;
        this.queue = queue;
        this.requests = requests;
    }

    /** The store has answered what was sent then. */
    void answered(DualClockInstant sent) {
        answered = answered == null ? sent : answered.later(sent);
        since = null;
        cause = null;
    }

    /** An attempt that began then had no usable answer. */
    void failed(DualClockInstant attemptedAt, @Nullable Throwable why) {
        since = since == null ? attemptedAt : since;
        cause = why;
    }

    /** Whether a timer that was due then is so late that responses may be unread: it does not show an outage yet. */
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
     * Whether a wait that is over ends with an outage rather than with a busy lock. A lock that was busy a moment ago counts as busy
     * until an attempt has had its time.
     */
    boolean isFoundAtEndOf(Waiter waiter, DualClockInstant now) {
        return !queue.isHeld(now) && (lasts() || requests.areUnansweredAtEndOf(waiter, now));
    }

    /**
     * For how long the store has not answered since this waiter came.
     *
     * @param pending when the oldest attempt began that is under way; null if none is
     */
    private Duration lastedFor(Waiter waiter, @Nullable DualClockInstant pending, DualClockInstant now) {
        DualClockInstant start = since;
        if (start == null && pending != null) {
            start = answered == null ? pending : pending.later(answered);
        }
        Duration lasted = start == null ? Duration.ZERO : start.until(now);
        Duration waited = waiter.waited(now);
        return Durations.min(lasted, waited);
    }

    /** The result of a waiter that the outage ends. */
    AcquireResult result(Waiter waiter, DualClockInstant now) {
        Duration lasted = lasts() ? lastedFor(waiter, null, now) : waiter.waited(now);
        return new AcquireResult.Unavailable(
                "no result from the store for " + lasted.toMillis() + " ms when asked for '" + queue.name() + "'"
                        + (cause == null ? "" : ": " + cause),
                cause);
    }

    // --- The check.

    /** Ends this waiter when the outage reaches its limit. */
    void watch(Waiter waiter, DeferredActions actions) {
        waiter.watched();
        if (waiter.isEndedByOutage()) {
            checkAfter(waiter.policy().outageLimit().plus(GRACE), actions);
        }
    }

    private void checkAfter(Duration delay, DeferredActions actions) {
        DualClockInstant at = actions.now().plus(delay);
        if (checkAt == null || checkAt.until(at).isNegative()) {
            timer = timer == null ? engine.newTimer(this::check) : timer;
            checkAt = at;
            actions.setTimer(timer, delay, CHECK_SLACK_NANOS);
        }
    }

    void cancel(DeferredActions actions) {
        if (checkAt != null && timer != null) {
            actions.cancelTimer(timer);
        }
    }

    void timerFailed() {
        checkAt = null;
    }

    /** Ends the waiters whose limit the outage has reached; checks again when it reaches that of others. */
    private void check() {
        DeferredActions actions = queue.begin();
        try {
            DualClockInstant now = actions.now();
            DualClockInstant due = checkAt;
            checkAt = null;
            checkedLate = !checkedLate && due != null && isLate(due, now);
            if (checkedLate) { // only once: it has to end
                checkAfter(GRACE, actions);
                return;
            }
            DualClockInstant pending = requests.oldestAttempt(now);
            boolean isHeld = queue.isHeld(now);
            Duration next = null;
            for (Waiter waiter : queue.waiters()) {
                if (waiter.isEndedByOutage()) {
                    Duration lasted = isHeld ? Duration.ZERO : lastedFor(waiter, pending, now);
                    Duration left = waiter.policy().outageLimit().minus(lasted);
                    if (left.isNegative() || left.isZero()) {
                        queue.end(waiter, result(waiter, now), actions);
                    } else if (next == null || left.compareTo(next) < 0) {
                        next = left;
                    }
                }
            }
            requests.adjust(Lane.BACKGROUND, actions);
            if (next != null) {
                checkAfter(next.plus(GRACE), actions);
            }
        } finally {
            actions.run();
        }
    }
}
