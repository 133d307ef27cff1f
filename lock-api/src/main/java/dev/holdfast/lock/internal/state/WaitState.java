package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One caller that wants a lock: its options, how long it waits, and what it has seen so far. The driver's subclass passes the result on.
 * Changed under the lock of the name only.
 */
public abstract class WaitState implements StateTransition.Lender {

    private final LeaseOptions options;
    private final WaitPolicy policy;
    private final DualClockInstant since;

    /** How many replies its queue had had when it joined. */
    private long repliesBefore;
    /** The next definite reply of the store is its result. */
    private boolean takesNextReply;

    /** Its queue checks for an outage on its behalf. */
    private boolean watched;

    private StateTransition.@Nullable Alarm alarm;

    protected WaitState(LeaseOptions options, WaitPolicy policy, DualClockInstant now) {
        this.options = options;
        this.policy = policy;
        this.since = now;
        this.takesNextReply = policy.asksOnce();
    }

    // --- The caller, who is told once the transition is over.

    /** The present holder of the lease is this caller. */
    protected abstract void granted(StoreLease lease, StateTransition transition);

    /** The lock was busy for the whole wait. */
    protected abstract void busy(StateTransition transition);

    /**
     * The store did not answer.
     *
     * @param message what was asked, and for how long
     * @param cause the last failure, if one is known
     */
    protected abstract void unavailable(String message, @Nullable Throwable cause, StateTransition transition);

    /** The engine was closed. */
    protected abstract void closed(StateTransition transition);

    /** The caller gave up. */
    protected abstract void withdrawn(StateTransition transition);

    /** Runs the task on the thread that waits for the result. Returns false if there is no such thread, or it is not idle. */
    protected abstract boolean runOnWaitingThread(Runnable task);

    /** Runs the task on the waiter's own thread, which its result would wake anyway. */
    @Override
    public final boolean lendThread(Runnable task, DualClockInstant now) {
        return hasTimeForCall(now) && runOnWaitingThread(task);
    }

    // --- What it wants.

    protected final Duration waited(DualClockInstant now) {
        return since.until(now);
    }

    protected final LeaseOptions options() {
        return options;
    }

    final WaitPolicy policy() {
        return policy;
    }

    /** Whether the next definite reply is its result, rather than a place in a queue. */
    final boolean takesNextReply() {
        return takesNextReply;
    }

    final boolean isAnswered(long replies) {
        return replies != repliesBefore;
    }

    /** The timeout of a call. It ends with the limit of a caller that asks once. */
    final Duration callTimeout(DualClockInstant now) {
        return policy.asksOnce() ? bounded(policy.outageLimit().minus(waited(now))) : options.callTimeout();
    }

    /**
     * The timeout of its first call. On its own thread that ends with the wait. In the background no caller is kept waiting, and a
     * short timeout would make a slow store look like an outage.
     */
    final Duration firstCallTimeout(Lane lane, DualClockInstant now) {
        return lane == Lane.CALLER && !policy.asksOnce()
                ? bounded(policy.limit().orElse(options.callTimeout()))
                : callTimeout(now);
    }

    /** Whether a call with the full timeout ends before the wait does. */
    final boolean hasTimeForCall(DualClockInstant now) {
        return policy.limit().isEmpty()
                || policy.limit().get().minus(waited(now)).compareTo(options.callTimeout()) >= 0;
    }

    private Duration bounded(Duration left) {
        return Durations.min(Durations.max(left, LeaseOptions.MIN_CALL), options.callTimeout());
    }

    // --- Its wait.

    /** It has joined its queue, which had this many replies before. */
    final void joined(long replies) {
        repliesBefore = replies;
    }

    /** Whether a timer ends its wait. */
    final boolean isTimed() {
        return !policy.asksOnce() && policy.limit().isPresent();
    }

    /** Sets the timer for the end of its wait. */
    final void begin(StateTransition.Alarm end, StateTransition transition) {
        alarm = end;
        transition.setTimer(end, policy.limit().orElseThrow());
    }

    /** Extends the wait until the next reply: no attempt was answered yet, or the reply is unread. */
    final void extendOnce(Duration left, StateTransition transition) {
        takesNextReply = true;
        if (alarm != null) {
            transition.setTimer(alarm, left);
        }
    }

    /** The wait is over. */
    final void end(StateTransition transition) {
        if (alarm != null) {
            transition.cancelTimer(alarm);
        }
    }

    /** Whether an outage can end it. Called by the thread that joins. */
    protected final boolean isWatched() {
        return watched;
    }

    final void watched() {
        watched = true;
    }

    /** Whether an outage ends it sooner than its wait does. */
    final boolean isEndedByOutage() {
        return policy.asksOnce()
                || policy.limit().isEmpty()
                || policy.limit().get().compareTo(policy.outageLimit()) > 0;
    }

    /** Whether the timer for the end of its wait is so late that replies may be unread. */
    final boolean isTimerLate(DualClockInstant now) {
        return policy.limit().isPresent()
                && StateTransition.Alarm.isLate(since.plus(policy.limit().get()), now);
    }

    /**
     * For how long an attempt must have gone unanswered to be called an outage at the end of the wait.
     *
     * @param wasAnswered whether the attempt before it was answered; if not, half the wait is enough
     */
    final Duration outageAfter(boolean wasAnswered, DualClockInstant now) {
        Duration limit = Durations.min(policy.outageLimit(), options.callTimeout());
        if (wasAnswered) {
            return Durations.max(limit, LeaseOptions.MIN_CALL);
        }
        return Durations.min(limit, waited(now)).dividedBy(2);
    }
}
