package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreRequest;
import java.time.Duration;
import java.util.function.Consumer;

/** One thing that a state transition asks for outside of the state machine. {@link DeferredActions} carries it out. */
sealed interface Action {

    /**
     * Carried out before the lock of the name is released, so that the actions of two transitions keep their order. They take no time
     * and run no code of a store or an application.
     */
    sealed interface Ordered extends Action {}

    /** Sets a timer, which replaces its earlier setting. It may fire early, by less than the slack. */
    record SetTimer(CoalescingTimer.Alarm timer, Duration delay, long slackNanos) implements Ordered {}

    /** Cancels a timer. */
    record CancelTimer(CoalescingTimer.Alarm timer) implements Ordered {}

    /**
     * Queues an event for the lock listeners.
     *
     * @param isLoss whether it is among the last to be dropped if listeners are slow
     */
    record QueueEvent(Consumer<LockListener> event, boolean isLoss) implements Ordered {}

    /** Counts the leases that {@code SuspendDetector} watches over, and the requests that listen for notifications. */
    enum Count implements Ordered {
        LEASE_BEGAN,
        LEASE_ENDED,
        LISTENING_BEGAN,
        LISTENING_ENDED
    }

    /** Carried out after the lock of the name was released: calls that take no time, in the order of the transitions. */
    sealed interface Deferred extends Action {}

    /** Passes the result of an acquire to its caller. */
    record CompleteAcquire(AcquireCallback callback, AcquireResult result) implements Deferred {}

    /** Tells a caller how a release ended. */
    record CompleteRelease(Consumer<ReleaseResult> callback, ReleaseResult result) implements Deferred {}

    /** Tells a caller how its call of extend ended. */
    record CompleteExtend(Consumer<ExtendResult> callback, ExtendResult result) implements Deferred {}

    /** Ends a release without asking the store: too many others are unanswered. */
    record RefuseRelease(ReleaseRetry release) implements Deferred {}

    /** Pushes a loss to a listener of the lease. */
    record PushLoss(Consumer<LockLostException> listener, LockLostException loss) implements Deferred {}

    /** Tells operators. */
    record Log(Consumer<LeaseLog> line) implements Deferred {}

    /** Asks the store again, on the thread of the first waiter if that thread is idle. */
    record AcquireByWaiter(PendingAcquire pending, Waiter first) implements Deferred {}

    /** Sends a command to the store, together with the others of the transition. */
    record Send(Lane lane, StoreRequest request) implements Action {}
}
