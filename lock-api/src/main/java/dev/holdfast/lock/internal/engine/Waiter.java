package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One caller that wants a lock, from its call to its result. Its state is changed under the lock of the name only. */
public final class Waiter {

    /** The shortest timeout of a call, even near the end of a wait: a shorter one would only overload the store. */
    static final Duration MIN_CALL = Duration.ofMillis(100);

    private final Engine engine;
    private final WaitQueue queue;
    private final LeaseOptions options;
    private final WaitPolicy policy;
    private final AcquireCallback callback;
    private final DualClockInstant since;

    /** How many responses its queue had had when the waiter joined. */
    private long responsesBefore;
    /** The next definite answer of the store is its result. */
    private boolean takesNextAnswer;

    /** Its queue checks for an outage on its behalf. */
    private boolean watched;

    private CoalescingTimer.@Nullable Alarm timer;
    private volatile AcquireResult.@Nullable Held held;

    Waiter(Engine engine, WaitQueue queue, LeaseOptions options, WaitPolicy policy, AcquireCallback callback) {
        this.engine = engine;
        this.queue = queue;
        this.options = options;
        this.policy = policy;
        this.callback = callback;
        this.since = engine.now();
        this.takesNextAnswer = policy.asksOnce();
    }

    /**
     * Gives up.
     *
     * @return false if there is a result already
     */
    public boolean withdraw() {
        return queue.withdraw(this);
    }

    /** Gives up, and releases the lock if it was granted: the caller never gets to see it. */
    public void abandon() {
        boolean unused = withdraw();
        AcquireResult.Held granted = held;
        if (granted != null) {
            granted.holder().discard();
        }
    }

    Duration waited(DualClockInstant now) {
        return since.until(now);
    }

    LeaseOptions options() {
        return options;
    }

    WaitPolicy policy() {
        return policy;
    }

    /** Whether the next definite answer is its result, rather than a place in a queue. */
    boolean takesNextAnswer() {
        return takesNextAnswer;
    }

    boolean isAnswered(long responses) {
        return responses != responsesBefore;
    }

    /** The timeout of a call. It ends with the limit of a caller that asks once. */
    Duration callTimeout(DualClockInstant now) {
        return policy.asksOnce() ? bounded(policy.outageLimit().minus(waited(now))) : options.callTimeout();
    }

    /**
     * The timeout of its first call. On its own thread that ends with the wait. In the background no caller is kept waiting, and a
     * short timeout would make a slow store look like an outage.
     */
    Duration firstCallTimeout(Lane lane, DualClockInstant now) {
        return lane == Lane.CALLER && !policy.asksOnce()
                ? bounded(policy.limit().orElse(options.callTimeout()))
                : callTimeout(now);
    }

    /** Whether a call with the full timeout ends before the wait does. */
    boolean hasTimeForCall(DualClockInstant now) {
        return policy.limit().isEmpty()
                || policy.limit().get().minus(waited(now)).compareTo(options.callTimeout()) >= 0;
    }

    /**
     * Runs the task on the waiter's own thread, which its result would wake anyway.
     *
     * @return false if it has no idle thread or too little time; the task does not run then
     */
    boolean lendThread(Runnable task, DualClockInstant now) {
        return hasTimeForCall(now) && callback.runOnWaitingThread(task);
    }

    private Duration bounded(Duration left) {
        return Durations.min(Durations.max(left, MIN_CALL), options.callTimeout());
    }

    /** The waiter has joined its queue, which had this many responses before. */
    void joined(long responses, DeferredActions actions) {
        responsesBefore = responses;
        if (!policy.asksOnce() && policy.limit().isPresent()) {
            setTimer(policy.limit().get(), actions);
        }
    }

    private void setTimer(Duration delay, DeferredActions actions) {
        timer = timer == null ? engine.newTimer(() -> queue.waitIsOver(this)) : timer;
        actions.setTimer(timer, delay);
    }

    /** Whether an outage can end it. Called by the thread that joins. */
    boolean isWatched() {
        return watched || held != null;
    }

    void watched() {
        watched = true;
    }

    /** Whether an outage ends it sooner than its wait does. */
    boolean isEndedByOutage() {
        return policy.asksOnce()
                || policy.limit().isEmpty()
                || policy.limit().get().compareTo(policy.outageLimit()) > 0;
    }

    /** Whether the timer for the end of its wait is so late that responses may be unread. */
    boolean isTimerLate(DualClockInstant now) {
        return policy.limit().isPresent()
                && OutageTracker.isLate(since.plus(policy.limit().get()), now);
    }

    /** Extends the wait until the next reply: no attempt was answered yet, or the reply is unread. */
    void extendOnce(Duration left, DeferredActions actions) {
        takesNextAnswer = true;
        setTimer(left, actions);
    }

    /**
     * For how long an attempt must have gone unanswered to be called an outage at the end of the wait.
     *
     * @param wasAnswered whether the attempt before it was answered; if not, half the wait is enough
     */
    Duration outageAfter(boolean wasAnswered, DualClockInstant now) {
        Duration limit = Durations.min(policy.outageLimit(), options.callTimeout());
        if (wasAnswered) {
            return Durations.max(limit, MIN_CALL);
        }
        return Durations.min(limit, waited(now)).dividedBy(2);
    }

    /** The waiter has left its queue with this result. */
    void end(AcquireResult result, DeferredActions actions) {
        if (timer != null) {
            actions.cancelTimer(timer);
        }
        if (result instanceof AcquireResult.Held granted) {
            held = granted;
        }
        if (actions.hasListeners()) {
            tell(result, actions);
        }
        actions.complete(callback, result);
    }

    private void tell(AcquireResult result, DeferredActions actions) {
        Duration waited = waited(actions.now());
        String name = queue.name().value();
        if (result instanceof AcquireResult.Held granted) {
            actions.tell(listener -> listener.acquired(name, granted.holder().fencingToken(), waited));
        } else {
            AcquireFailure reason = reason(result);
            actions.tell(listener -> listener.acquireFailed(name, reason, waited));
        }
    }

    private static AcquireFailure reason(AcquireResult failure) {
        if (failure instanceof AcquireResult.Busy) {
            return AcquireFailure.BUSY;
        }
        return failure instanceof AcquireResult.Unavailable ? AcquireFailure.UNAVAILABLE : AcquireFailure.CANCELLED;
    }
}
