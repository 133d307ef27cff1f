package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One of the leases of a method, for its body, which must not release it. */
final class MethodLease implements Lease {

    private final LockScope scope;
    private final String name;
    private final LockHold hold;

    MethodLease(LockScope scope, String name) {
        this.scope = scope;
        this.name = name;
        this.hold = scope.hold(name);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return hold.locks().fencingToken(name);
    }

    @Override
    public LeaseState state() {
        return hold.locks().state();
    }

    @Override
    public Duration remaining() {
        return hold.locks().remaining();
    }

    @Override
    public void ensureHeld() {
        hold.locks().ensureHeld();
    }

    @Override
    public void onLost(LossListener listener) {
        hold.locks().onLost(listener);
    }

    @Override
    public void removeLossListener(LossListener listener) {
        hold.locks().removeLossListener(listener);
    }

    @Override
    public void extend(Duration length) {
        hold.extend(length);
    }

    @Override
    public void holdAtLeast(Duration minimum) {
        throw new UnsupportedOperationException("the minimum hold of '" + name + "' is that of its annotation");
    }

    @Override
    public boolean release() {
        throw endsWithTheMethod();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        throw endsWithTheMethod();
    }

    private UnsupportedOperationException endsWithTheMethod() {
        return new UnsupportedOperationException("the lease of '" + name + "' ends with " + scope);
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return "lease of '" + name + "' of " + scope;
    }
}
