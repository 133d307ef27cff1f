package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.StoreLease;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A hold as the application sees it. */
final class DefaultLease implements Lease {

    /** For how long {@link #release()} waits for a store that does not answer. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);

    private final String name;
    private final StoreLease hold;

    DefaultLease(String name, StoreLease hold) {
        this.name = name;
        this.hold = hold;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return hold.applicationToken();
    }

    @Override
    public LeaseState state() {
        return hold.state();
    }

    @Override
    public Duration remaining() {
        return hold.remaining();
    }

    @Override
    public void ensureHeld() {
        LockLostException loss = hold.loss();
        if (loss != null) {
            throw new LockLostException(String.valueOf(loss.getMessage()));
        }
        if (state() == LeaseState.RELEASED) {
            throw new IllegalStateException("the lease of '" + name + "' was released");
        }
    }

    @Override
    public void onLost(LossListener listener) {
        hold.onLoss(listener::lost);
    }

    @Override
    public boolean release() {
        ReleaseResult end = release(RELEASE_PATIENCE);
        if (!end.answered()) {
            throw new LockUnavailableException(
                    "the store did not answer the release of '" + name + "'; it is repeated: " + end.why(), end.why());
        }
        return end.wasHeld();
    }

    @Override
    public void close() {
        release(Duration.ZERO);
    }

    /** An interrupt would only break the connection that the release travels on; it is kept for the caller. */
    private ReleaseResult release(Duration patience) {
        CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
        boolean interrupted = Thread.interrupted();
        try {
            if (!hold.release(Lane.CALLER, patience, end::complete)) {
                return ReleaseResult.NOT_HELD;
            }
            return end.join();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return "lease of '" + name + "', token " + fencingToken() + ", " + state();
    }
}
