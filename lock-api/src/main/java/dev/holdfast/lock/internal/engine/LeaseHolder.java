package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.Transitions.DeferredActions;
import dev.holdfast.lock.internal.state.ExtendResult;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.StateTransition;
import dev.holdfast.lock.internal.state.StoreLease;
import dev.holdfast.lock.internal.state.WaitQueue;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One holder of a {@link StoreLease}, which other holders of this process may have had before and may get after it. A holder
 * begins with an acquire or a hand-off, and ends with its release or with the loss of the lease. After its release it reads RELEASED,
 * even while a later holder has the lease. Thread-safe.
 */
public final class LeaseHolder {

    private final Transitions transitions;
    private final WaitQueue queue;
    private final StoreLease lease;
    private final long fencingToken;

    /** The present holder of the lease. */
    LeaseHolder(Transitions transitions, WaitQueue queue, StoreLease lease) {
        this.transitions = transitions;
        this.queue = queue;
        this.lease = lease;
        this.fencingToken = lease.fencingToken();
    }

    /** The store's token and the number of the hand-off in one. */
    public long fencingToken() {
        return fencingToken;
    }

    /** Whether no later holder has followed. */
    private boolean isLatest() {
        return lease.fencingToken() == fencingToken;
    }

    /** The state for this holder, at this instant. Takes no lock while the lease lasts. */
    public LeaseState state() {
        LeaseState read = lease.state(); // before the token: the state may be that of a later holder
        if (!isLatest()) {
            return LeaseState.RELEASED;
        }
        if (!StoreLease.isOpen(read) || lease.end().isAfter(transitions.now())) {
            return read;
        }
        DeferredActions actions = transitions.begin(queue);
        try {
            lease.expireIfOver(actions);
            return isLatest() ? lease.state() : LeaseState.RELEASED;
        } finally {
            actions.run();
        }
    }

    /** How long it has the lease unless that is renewed; zero if it is over. */
    public Duration remaining() {
        Duration left = lease.end().leftAt(transitions.now());
        return StoreLease.isOpen(state()) ? Durations.max(left, Duration.ZERO) : Duration.ZERO;
    }

    /** How it lost the lease; null if it did not. */
    public @Nullable LockLostException loss() {
        return state() == LeaseState.LOST ? lease.loss() : null;
    }

    /** Calls the listener once when this holder loses the lease; at once, on this thread, if it has. */
    public void onLoss(Consumer<LockLostException> listener) {
        DeferredActions actions = transitions.begin(queue);
        LockLostException known;
        try {
            lease.expireIfOver(actions);
            if (lease.isHeldBy(fencingToken)) {
                lease.addLossListener(listener);
            }
            known = isLatest() ? lease.loss() : null;
        } finally {
            actions.run();
        }
        if (known != null) {
            listener.accept(known);
        }
    }

    /** Does not call an equal listener when this holder loses the lease, unless it is about to. */
    public void removeLossListener(Consumer<LockLostException> listener) {
        boolean unused = whileHeld(transition -> lease.removeLossListener(listener));
    }

    /**
     * Releases the lease.
     *
     * @param lane which thread sends the first attempt; on any but the caller's, an acquire that follows does not overtake it
     * @param patience for how long an unanswered release is repeated before the callback is told; it is repeated in the
     *     background after that
     * @param callback told whether it was held, or that the store did not answer; not called if this returns false
     * @return false if it was over before
     */
    public boolean release(Lane lane, Duration patience, Consumer<ReleaseResult> callback) {
        DeferredActions actions = transitions.begin(queue);
        try {
            lease.expireIfOver(actions);
            if (!lease.isHeldBy(fencingToken)) {
                return false;
            }
            queue.release(lease, lane, patience, callback, actions);
            return true;
        } finally {
            actions.run();
        }
    }

    /** Releases a lease that the application never got to see: without its minimum hold, and in the background. */
    public void discard() {
        boolean unused = whileHeld(transition -> {
            lease.dropMinimumHold();
            queue.release(lease, Lane.BACKGROUND, Duration.ZERO, ignored -> {}, transition);
        });
    }

    /**
     * Replaces the minimum hold by this one, which counts from now.
     *
     * @return false if the lease was over before
     */
    public boolean holdAtLeast(Duration minimum) {
        return whileHeld(transition -> lease.holdAtLeast(minimum, transition.now()));
    }

    /** Whether the lease is renewed in the background; else it may be extended. */
    public boolean isRenewed() {
        return lease.options().renewed();
    }

    /**
     * Extends the fixed lease to this length from now, and never shortens it.
     *
     * @param lane which thread sends the first attempt
     * @param callback told how it ended; not called if this returns false
     * @return false if it was over before
     */
    public boolean extend(Duration length, Lane lane, Consumer<ExtendResult> callback) {
        return whileHeld(transition -> lease.extend(length, lane, callback, transition));
    }

    /** Has an event happen if this holder has the lease; returns whether it has. */
    private boolean whileHeld(Consumer<StateTransition> event) {
        DeferredActions actions = transitions.begin(queue);
        try {
            lease.expireIfOver(actions);
            if (!lease.isHeldBy(fencingToken)) {
                return false;
            }
            event.accept(actions);
            return true;
        } finally {
            actions.run();
        }
    }
}
