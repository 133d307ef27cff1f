package dev.holdfast.lock.internal;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A hold as the application sees it. */
final class EngineLease implements Lease {

    /** For how long {@link #release()} waits for a store that does not answer. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);

    private final String name;
    private final Hold hold;

    EngineLease(String name, Hold hold) {
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
        Ended end = release(RELEASE_PATIENCE);
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
    private Ended release(Duration patience) {
        CompletableFuture<Ended> end = new CompletableFuture<>();
        boolean interrupted = Thread.interrupted();
        try {
            if (!hold.release(Lane.CALLER, patience, end::complete)) {
                return Ended.NOT_HELD;
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
