package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The lease that a leader sees. The election owns it: releasing it yields the leadership. */
final class ElectedLease implements Lease {

    private final Lease lease;
    private final Runnable resignation;

    ElectedLease(Lease lease, Runnable resignation) {
        this.lease = lease;
        this.resignation = resignation;
    }

    @Override
    public String name() {
        return lease.name();
    }

    @Override
    public long fencingToken() {
        return lease.fencingToken();
    }

    @Override
    public LeaseState state() {
        return lease.state();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public void ensureHeld() {
        lease.ensureHeld();
    }

    @Override
    public void onLost(LossListener listener) {
        lease.onLost(listener);
    }

    @Override
    public void removeLossListener(LossListener listener) {
        lease.removeLossListener(listener);
    }

    @Override
    public void extend(Duration length) {
        lease.extend(length);
    }

    @Override
    public void holdAtLeast(Duration minimum) {
        lease.holdAtLeast(minimum);
    }

    @Override
    public boolean release() {
        boolean wasHeld = isHeld();
        resignation.run();
        return wasHeld;
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        return CompletableFuture.completedFuture(release());
    }

    @Override
    public void close() {
        resignation.run();
    }

    @Override
    public String toString() {
        return lease.toString();
    }
}
