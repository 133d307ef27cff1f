package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of extend: a renewal with a length of its own, repeated until the store answers, for about as long as one call may
 * take. Changed under the lock of the name only.
 *
 * <p>WAITING (behind an earlier call) → SENT ⇄ PAUSED → OVER. A reply after OVER is ignored: the caller was told
 * the former end.
 */
final class LeaseExtension {

    private enum Phase {
        WAITING,
        SENT,
        PAUSED,
        OVER
    }

    /** A store may confirm a little less than was asked for: it rounds, and allows for clock drift. */
    private static final int ROUNDING = 200;

    private static final Duration LEAST_ROUNDING = Duration.ofMillis(5);

    private final ExtensionQueue extensions;
    private final Duration length;
    private final Duration patience;
    private final Consumer<ExtendResult> callback;
    private final DualClockInstant since;
    private final DualClockInstant due;
    private final Backoff backoff;
    private final CoalescingTimer.Alarm timer;

    private Phase phase = Phase.WAITING;
    private boolean checkedLate;
    private @Nullable Throwable failure;

    /** @param patience for how long it is repeated */
    LeaseExtension(
            Engine engine,
            ExtensionQueue extensions,
            Duration length,
            Duration patience,
            Consumer<ExtendResult> callback,
            DualClockInstant now) {
        this.extensions = extensions;
        this.length = length;
        this.patience = patience;
        this.callback = callback;
        this.since = now;
        this.due = now.plus(patience).plus(OutageTracker.GRACE);
        this.backoff = engine.newBackoff();
        this.timer = engine.newTimer(() -> extensions.timerFired(this));
    }

    Duration length() {
        return length;
    }

    boolean isWaiting() {
        return phase == Phase.WAITING;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    /** Sets the timer that ends it in time, whenever its turn or its reply comes. */
    void begin(DeferredActions actions) {
        actions.setTimer(timer, actions.now().until(due));
    }

    void send(Lane lane, DeferredActions actions) {
        phase = Phase.SENT;
        extensions.send(this, lane, patience.minus(since.until(actions.now())), actions);
        actions.setTimer(timer, actions.now().until(due));
    }

    /** The store did not confirm it: it is asked again if there is time. */
    void failed(Throwable cause, DeferredActions actions) {
        failure = cause;
        if (phase != Phase.SENT) {
            return;
        }
        phase = Phase.PAUSED;
        Duration pause = backoff.silent();
        if (since.until(actions.now()).plus(pause).compareTo(patience) < 0) {
            actions.setTimer(timer, pause);
        } else {
            giveUp(actions);
        }
    }

    void tick(DeferredActions actions) {
        if (phase == Phase.OVER) {
            return;
        }
        Duration left = actions.now().until(due);
        if (phase == Phase.PAUSED && left.compareTo(OutageTracker.GRACE) > 0) {
            send(Lane.BACKGROUND, actions);
        } else if (left.compareTo(Duration.ZERO) > 0) {
            actions.setTimer(timer, left);
        } else if (!checkedLate && OutageTracker.isLate(due, actions.now())) {
            checkedLate = true; // only once: it has to end
            actions.setTimer(timer, OutageTracker.GRACE);
        } else {
            giveUp(actions);
        }
    }

    /** Whether the store confirmed the length that was asked for, apart from rounding. */
    boolean isConfirmedBy(LockReply.Granted granted) {
        Duration rounding = Durations.max(length.dividedBy(ROUNDING), LEAST_ROUNDING);
        return length.minus(granted.remaining()).compareTo(rounding) <= 0;
    }

    private void giveUp(DeferredActions actions) {
        Throwable cause = failure;
        end(
                new ExtendResult.Unconfirmed(cause == null ? new TimeoutException("no answer came in time") : cause),
                actions);
    }

    void end(ExtendResult result, DeferredActions actions) {
        if (phase != Phase.OVER) {
            phase = Phase.OVER;
            actions.cancelTimer(timer);
            actions.completeExtend(callback, result);
        }
    }
}
