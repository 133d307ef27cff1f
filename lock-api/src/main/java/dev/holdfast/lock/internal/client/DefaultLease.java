package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.StoreLease;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A lease as the application sees it: one holder of a {@link StoreLease}, known there by its fencing token. */
final class DefaultLease implements Lease {

    /** For how long {@link #release()} waits for a store that does not answer. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);

    private final String name;
    private final StoreLease lease;
    private final long fencingToken;

    DefaultLease(String name, AcquireResult.Held held) {
        this.name = name;
        this.lease = held.lease();
        this.fencingToken = held.fencingToken();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return fencingToken;
    }

    @Override
    public LeaseState state() {
        return lease.state(fencingToken);
    }

    @Override
    public Duration remaining() {
        return lease.remaining(fencingToken);
    }

    @Override
    public void ensureHeld() {
        LeaseState state = state();
        if (state == LeaseState.LOST) {
            LockLostException loss = lease.loss(fencingToken);
            throw new LockLostException(
                    loss == null ? "the lease of '" + name + "' is lost" : String.valueOf(loss.getMessage()));
        } else if (state == LeaseState.RELEASED) {
            throw new IllegalStateException("the lease of '" + name + "' was released");
        }
    }

    @Override
    public void onLost(LossListener listener) {
        lease.onLoss(fencingToken, listener::lost);
    }

    @Override
    public boolean release() {
        boolean interrupted = Thread.interrupted(); // it would only break the connection; it is kept for the caller
        try {
            CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
            if (!lease.release(fencingToken, Lane.CALLER, RELEASE_PATIENCE, end::complete)) {
                return false;
            }
            ReleaseResult result = end.join();
            if (!result.answered()) {
                throw new LockUnavailableException(
                        "the store did not answer the release of '" + name + "', which is repeated in the background: "
                                + result.cause(),
                        result.cause());
            }
            return result.wasHeld();
        } finally {
            restore(interrupted);
        }
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
            if (lease.release(fencingToken, Lane.CALLER, Duration.ZERO, end::complete)) {
                end.join();
            }
        } finally {
            restore(interrupted);
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "lease of '" + name + "', token " + fencingToken + ", " + state();
    }
}
