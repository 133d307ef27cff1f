package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One holder of a {@link StoreLease}, which other holders of this process may have had before and may get after it. A holder
 * begins with an acquire or a hand-off, and ends with its release or with the loss of the lease. After its release it reads RELEASED,
 * even while a later holder has the lease.
 *
 * <p>Thread-safe: changed under the lock of the name only.
 */
public final class LeaseHolder {

    private final StoreLease lease;
    private final long fencingToken;
    private final DualClockInstant since;

    /** Counts from the grant. */
    private Duration minimumHold;

    private List<Consumer<LockLostException>> lossListeners = List.of();

    LeaseHolder(StoreLease lease, long fencingToken, Duration minimumHold, DualClockInstant now) {
        this.lease = lease;
        this.fencingToken = fencingToken;
        this.minimumHold = minimumHold;
        this.since = now;
    }

    LockName name() {
        return lease.name();
    }

    /** The store's token and the number of the hand-off in one. */
    public long fencingToken() {
        return fencingToken;
    }

    Duration minimumHold() {
        return minimumHold;
    }

    /** For how long it has held the lock. */
    Duration held(DualClockInstant now) {
        return since.until(now);
    }

    /** The state for this holder, at this instant. Takes no lock while the lease lasts. */
    public LeaseState state() {
        LeaseState read = lease.state(); // before the holder: the state may be that of a later one
        if (!lease.isLatest(this)) {
            return LeaseState.RELEASED;
        }
        if (!StoreLease.isOpen(read) || lease.isValid()) {
            return read;
        }
        DeferredActions actions = lease.beginTransition();
        try {
            lease.expireIfOver(actions);
            return lease.isLatest(this) ? lease.state() : LeaseState.RELEASED;
        } finally {
            actions.run();
        }
    }

    /** How long it has the lease unless that is renewed; zero if it is over. */
    public Duration remaining() {
        Duration left = lease.remaining();
        return StoreLease.isOpen(state()) ? Durations.max(left, Duration.ZERO) : Duration.ZERO;
    }

    /** How it lost the lease; null if it did not. */
    public @Nullable LockLostException loss() {
        return state() == LeaseState.LOST ? lease.loss() : null;
    }

    /** Calls the listener once when this holder loses the lease; at once, on this thread, if it has. */
    public void onLoss(Consumer<LockLostException> listener) {
        DeferredActions actions = lease.beginTransition();
        LockLostException known;
        try {
            if (isHeld(actions)) {
                lossListeners = lossListeners.isEmpty() ? new ArrayList<>(1) : lossListeners;
                lossListeners.add(listener);
            }
            known = lease.isLatest(this) ? lease.loss() : null;
        } finally {
            actions.run();
        }
        if (known != null) {
            listener.accept(known);
        }
    }

    void lost(LockLostException loss, DeferredActions actions) {
        lossListeners.forEach(listener -> actions.pushLoss(listener, loss));
    }

    /**
     * Releases the lease.
     *
     * @param lane which thread sends the first attempt
     * @param patience for how long an unanswered release is repeated before the callback is told; it is repeated in the
     *     background after that
     * @param callback told whether it was held, or that the store did not answer; not called if this returns false
     * @return false if it was over before
     */
    public boolean release(Lane lane, Duration patience, Consumer<ReleaseResult> callback) {
        DeferredActions actions = lease.beginTransition();
        try {
            if (!isHeld(actions)) {
                return false;
            }
            lease.release(lane, patience, callback, actions);
            return true;
        } finally {
            actions.run();
        }
    }

    /** Releases a lease that the application never got to see: without its minimum hold, and in the background. */
    public void discard() {
        DeferredActions actions = lease.beginTransition();
        try {
            if (isHeld(actions)) {
                minimumHold = Duration.ZERO;
                lease.release(Lane.BACKGROUND, Duration.ZERO, ignored -> {}, actions);
            }
        } finally {
            actions.run();
        }
    }

    /**
     * Replaces the minimum hold by this one, which counts from now.
     *
     * @return false if the lease was over before
     */
    public boolean holdAtLeast(Duration minimum) {
        DeferredActions actions = lease.beginTransition();
        try {
            if (!isHeld(actions)) {
                return false;
            }
            Duration fromGrant =
                    minimum.isZero() ? minimum : lease.oldestAge(actions.now()).plus(minimum);
            minimumHold = Durations.min(fromGrant, DurationLimits.MAX);
            return true;
        } finally {
            actions.run();
        }
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
        DeferredActions actions = lease.beginTransition();
        try {
            if (!isHeld(actions)) {
                return false;
            }
            lease.extend(length, lane, callback, actions);
            return true;
        } finally {
            actions.run();
        }
    }

    private boolean isHeld(DeferredActions actions) {
        return lease.isHeldNow(actions) && lease.isLatest(this);
    }
}
