package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BiConsumer;
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

    private final Duration length;
    private final Duration patience;
    private final Consumer<ExtendResult> callback;
    private final DualClockInstant since;
    private final DualClockInstant due;
    private final Backoff backoff;
    private final StateTransition.Alarm alarm;

    private Phase phase = Phase.WAITING;
    private boolean checkedLate;
    private @Nullable Throwable failure;

    /**
     * An extension that waits.
     *
     * @param patience for how long it is repeated
     * @param whenDue happens when its timer fires
     */
    LeaseExtension(
            Duration length,
            Duration patience,
            Backoff backoff,
            Consumer<ExtendResult> callback,
            BiConsumer<LeaseExtension, StateTransition> whenDue,
            StateTransition transition) {
        this.length = length;
        this.patience = patience;
        this.callback = callback;
        this.since = transition.now();
        this.due = since.plus(patience).plus(StateTransition.Alarm.GRACE);
        this.backoff = backoff;
        this.alarm = transition.newAlarm(next -> whenDue.accept(this, next));
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
    void setTimer(StateTransition transition) {
        transition.setTimer(alarm, transition.now().until(due));
    }

    /**
     * Begins an attempt, which is to be sent.
     *
     * @param left how long the lease lasts
     * @return the timeout of the call
     */
    Duration attempt(Duration left, StateTransition transition) {
        phase = Phase.SENT;
        Duration repeatedFor = patience.minus(since.until(transition.now()));
        return Durations.max(Durations.min(repeatedFor, left), LeaseOptions.MIN_CALL);
    }

    /** The store did not confirm it: it is asked again if there is time. */
    void failed(Throwable cause, StateTransition transition) {
        failure = cause;
        if (phase != Phase.SENT) {
            return;
        }
        phase = Phase.PAUSED;
        Duration pause = backoff.silent();
        if (since.until(transition.now()).plus(pause).compareTo(patience) < 0) {
            transition.setTimer(alarm, pause);
        } else {
            giveUp(transition);
        }
    }

    /**
     * Does what is due.
     *
     * @return whether another attempt is due
     */
    boolean tick(StateTransition transition) {
        if (phase == Phase.OVER) {
            return false;
        }
        Duration left = transition.now().until(due);
        if (phase == Phase.PAUSED && left.compareTo(StateTransition.Alarm.GRACE) > 0) {
            return true;
        } else if (left.compareTo(Duration.ZERO) > 0) {
            transition.setTimer(alarm, left);
        } else if (!checkedLate && StateTransition.Alarm.isLate(due, transition.now())) {
            checkedLate = true; // only once: it has to end
            transition.setTimer(alarm, StateTransition.Alarm.GRACE);
        } else {
            giveUp(transition);
        }
        return false;
    }

    /** The store confirmed the lease for so long, which ends this if it is the length that was asked for, apart from rounding. */
    void confirmed(Duration remaining, StateTransition transition) {
        Duration rounding = Durations.max(length.dividedBy(ROUNDING), LEAST_ROUNDING);
        if (length.minus(remaining).compareTo(rounding) <= 0) {
            end(new ExtendResult.Extended(), transition);
        } else { // a composite between two stores
            failed(
                    new LockUnavailableException(
                            "the store confirmed the lease, but only for " + DurationText.format(remaining), null),
                    transition);
        }
    }

    private void giveUp(StateTransition transition) {
        Throwable cause = failure;
        end(
                new ExtendResult.Unconfirmed(
                        cause == null ? new LockUnavailableException("no answer came in time", null) : cause),
                transition);
    }

    void end(ExtendResult result, StateTransition transition) {
        if (phase != Phase.OVER) {
            phase = Phase.OVER;
            transition.cancelTimer(alarm);
            transition.afterwards(() -> callback.accept(result));
        }
    }

    /**
     * The calls of extend on one lease. One command is under way at a time, so that replies keep the order of the calls. Changed under
     * the lock of the name only.
     */
    static final class Queue {

        /** The clocks of this process and of the store differ in rate by less than this part. */
        private static final int CLOCK_SLACK = 500;

        private final Deque<LeaseExtension> extensions = new ArrayDeque<>(1);
        private Duration longest;

        /** @param length how long the lease lasts without an extension */
        Queue(Duration length) {
            this.longest = length;
        }

        /** How long the lease may last at the store, from now: an unanswered extension may have reached it. */
        Duration longest() {
            return longest;
        }

        /**
         * Adds an extension.
         *
         * @return whether it is to be sent at once: no other is before it
         */
        boolean add(LeaseExtension extension) {
            extensions.add(extension);
            return extensions.size() == 1;
        }

        void sent(LeaseExtension extension) {
            longest = Durations.max(longest, extension.length());
        }

        /** The extension that is to be sent now, as those before it are over; null if there is none. */
        @Nullable
        LeaseExtension next() {
            extensions.removeIf(LeaseExtension::isOver);
            LeaseExtension first = extensions.peek();
            return first != null && first.isWaiting() ? first : null;
        }

        /**
         * The end of the lease after the store has confirmed this much of it. It moves forward only if the store has lost an earlier
         * extension, as after a failover.
         *
         * @param known the end so far
         */
        static DualClockInstant confirmedEnd(
                DualClockInstant known, DualClockInstant sent, Duration remaining, DualClockInstant now) {
            DualClockInstant confirmed = sent.endOf(remaining);
            DualClockInstant latestAtStore = now.plus(remaining.plus(remaining.dividedBy(CLOCK_SLACK)));
            boolean isForgotten = latestAtStore.until(known).compareTo(Duration.ZERO) > 0;
            boolean isSooner =
                    confirmed.leftAt(now).compareTo(known.leftAt(now)) < 0; // by both clocks, as the lease itself ends
            return isSooner && !isForgotten ? known : confirmed;
        }

        /** The lease is lost or released. */
        void leaseEnded(StateTransition transition) {
            List.copyOf(extensions).forEach(extension -> extension.end(new ExtendResult.Ended(), transition));
            extensions.clear();
        }
    }
}
