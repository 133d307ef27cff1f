package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.internal.engine.Transitions.DeferredActions;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.StateTransition;
import dev.holdfast.lock.internal.state.StoreLease;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.state.WaitQueue;
import dev.holdfast.lock.internal.state.WaitState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One caller that wants a lock, from its call to its result, which it passes to the callback. Thread-safe. */
public final class Waiter extends WaitState {

    private final Transitions transitions;
    private final WaitQueue queue;
    private final AcquireCallback callback;
    private volatile @Nullable LeaseHolder held;

    Waiter(
            Transitions transitions,
            WaitQueue queue,
            LeaseOptions options,
            WaitPolicy policy,
            AcquireCallback callback) {
        super(options, policy, transitions.now());
        this.transitions = transitions;
        this.queue = queue;
        this.callback = callback;
    }

    /**
     * Gives up.
     *
     * @return false if there is a result already
     */
    public boolean withdraw() {
        DeferredActions actions = transitions.begin(queue);
        try {
            return queue.withdraw(this, actions);
        } finally {
            actions.run();
        }
    }

    /** Gives up, and releases the lock if it was granted: the caller never gets to see it. */
    public void abandon() {
        boolean unused = withdraw();
        LeaseHolder granted = held;
        if (granted != null) {
            granted.discard();
        }
    }

    /** Whether it has the lock, or an outage can end it. Called by the thread that joins. */
    boolean isServedOrWatched() {
        return held != null || isWatched();
    }

    @Override
    protected boolean runOnWaitingThread(Runnable task) {
        return callback.runOnWaitingThread(task);
    }

    @Override
    protected void granted(StoreLease lease, StateTransition transition) {
        LeaseHolder holder = new LeaseHolder(transitions, queue, lease);
        held = holder;
        if (transition.hasListeners()) { // or each result would allocate an event that no listener gets
            String name = queue.name().value();
            LeaseKind kind = options().share().kind();
            Duration waited = waited(transition.now());
            transition.tell(listener -> listener.acquired(name, kind, holder.fencingToken(), waited));
        }
        complete(new AcquireResult.Held(holder), transition);
    }

    @Override
    protected void busy(StateTransition transition) {
        failed(AcquireFailure.BUSY, new AcquireResult.Busy(), transition);
    }

    @Override
    protected void unavailable(String message, @Nullable Throwable cause, StateTransition transition) {
        failed(AcquireFailure.UNAVAILABLE, new AcquireResult.Unavailable(message, cause), transition);
    }

    @Override
    protected void closed(StateTransition transition) {
        failed(AcquireFailure.CANCELLED, new AcquireResult.Closed(), transition);
    }

    @Override
    protected void withdrawn(StateTransition transition) {
        failed(AcquireFailure.CANCELLED, new AcquireResult.Withdrawn(), transition);
    }

    private void failed(AcquireFailure reason, AcquireResult result, StateTransition transition) {
        if (transition.hasListeners()) {
            String name = queue.name().value();
            LeaseKind kind = options().share().kind();
            Duration waited = waited(transition.now());
            transition.tell(listener -> listener.acquireFailed(name, kind, reason, waited));
        }
        complete(result, transition);
    }

    private void complete(AcquireResult result, StateTransition transition) {
        transition.afterwards(() -> callback.completed(result));
    }
}
