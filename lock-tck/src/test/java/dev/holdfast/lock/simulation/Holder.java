package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.ExtendResult;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.StoreLease;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import java.time.Duration;
import java.util.function.Consumer;

/** One holder of a lease, with the operations of an application. Local holders before and after it may share the lease. */
record Holder(StoreLease lease, long fencingToken) {

    /** The holder that this result describes. */
    static Holder of(AcquireResult result) {
        AcquireResult.Held held = (AcquireResult.Held) result;
        return new Holder(held.lease(), held.fencingToken());
    }

    LeaseState state() {
        return lease.state(fencingToken);
    }

    Duration remaining() {
        return lease.remaining(fencingToken);
    }

    LockLostException loss() {
        return lease.loss(fencingToken);
    }

    void onLoss(Consumer<LockLostException> listener) {
        lease.onLoss(fencingToken, listener);
    }

    boolean extend(Duration length, Lane lane, Consumer<ExtendResult> callback) {
        return lease.extend(fencingToken, length, lane, callback);
    }

    boolean release(Lane lane, Duration timeout, Consumer<ReleaseResult> callback) {
        return lease.release(fencingToken, lane, timeout, callback);
    }
}
