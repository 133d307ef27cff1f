package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One caller that wants a lock, from its call to its one result. Its state is changed under the lock of the name only. */
public final class Waiter {

    /** A call to the store gets this long at least, also near the end of a wait: less would only overload the store. */
    static final Duration MIN_CALL = Duration.ofMillis(100);

    private final Engine engine;
    private final WaitQueue queue;
    private final LeaseOptions options;
    private final WaitPolicy policy;
    private final AcquireCallback callback;
    private final DualClockInstant since;

    /** How many responses its queue had when it came. */
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

    /** As long as one call may take; a caller that asks once is not kept beyond its limit. */
    Duration callTimeout(DualClockInstant now) {
        return policy.asksOnce() ? bounded(policy.outageLimit().minus(waited(now))) : options.callTimeout();
    }

    /**
     * The same for its first call. On its own thread it ends with its wait. In the background it keeps no caller, and a short
     * timeout there would only make a slow store look like an outage.
     */
    Duration firstCallTimeout(Lane lane, DualClockInstant now) {
        return lane == Lane.CALLER && !policy.asksOnce()
                ? bounded(policy.limit().orElse(options.callTimeout()))
                : callTimeout(now);
    }

    /** Whether a call may take all of its time without keeping this waiter for longer than it wants to wait. */
    boolean hasTimeForCall(DualClockInstant now) {
        return policy.limit().isEmpty()
                || policy.limit().get().minus(waited(now)).compareTo(options.callTimeout()) >= 0;
    }

    /**
     * Runs this on its own thread, which would have to be woken by its result anyway.
     *
     * @return false if it has no thread that only waits, or too little time: then nothing is done
     */
    boolean lendThread(Runnable task, DualClockInstant now) {
        return hasTimeForCall(now) && callback.runOnWaitingThread(task);
    }

    private Duration bounded(Duration left) {
        Duration atLeast = left.compareTo(MIN_CALL) < 0 ? MIN_CALL : left;
        return min(atLeast, options.callTimeout());
    }

    /** It stands in its queue now, which had so many responses before. */
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

    /** Whether it ends in time though no answer comes; asked by the thread that has it join. */
    boolean isWatched() {
        return watched || held != null;
    }

    void watched() {
        watched = true;
    }

    /** Whether an outage ends it, as the end of its wait does not come first. */
    boolean isEndedByOutage() {
        return policy.asksOnce()
                || policy.limit().isEmpty()
                || policy.limit().get().compareTo(policy.outageLimit()) > 0;
    }

    /** Whether the timer for the end of its wait is so late that responses may lie unread. */
    boolean isTimerLate(DualClockInstant now) {
        return policy.limit().isPresent()
                && OutageTracker.isLate(since.plus(policy.limit().get()), now);
    }

    /** It has asked nothing yet, or the answer lies unread: it waits for the one answer that it gets anyway. */
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
        Duration limit = min(policy.outageLimit(), options.callTimeout());
        if (wasAnswered) {
            return limit.compareTo(MIN_CALL) < 0 ? MIN_CALL : limit;
        }
        return min(limit, waited(now)).dividedBy(2);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** It stands in its queue no more. */
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
