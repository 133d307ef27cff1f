package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.CauseLine;
import dev.holdfast.lock.internal.state.ExtendResult;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.time.Blocking;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** A lease as the application sees it. */
final class DefaultLease implements Lease {

    /** The time after which the result of a release is that the store does not answer. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);

    private final String name;
    private final LeaseLengths lengths;
    private final LeaseHolder holder;
    private final Executor completions;

    /** @param completions complete the futures of the application; never fail */
    DefaultLease(String name, LeaseLengths lengths, LeaseHolder holder, Executor completions) {
        this.name = name;
        this.lengths = lengths;
        this.holder = holder;
        this.completions = completions;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return holder.fencingToken();
    }

    @Override
    public LeaseState state() {
        return holder.state();
    }

    @Override
    public Duration remaining() {
        return holder.remaining();
    }

    @Override
    public void ensureHeld() {
        LeaseState state = state();
        if (state == LeaseState.LOST) {
            LockLostException loss = holder.loss();
            throw new LockLostException(
                    loss == null ? "the lease of '" + name + "' is lost" : String.valueOf(loss.getMessage()));
        } else if (state == LeaseState.RELEASED) {
            throw new IllegalStateException("the lease of '" + name + "' was released");
        }
    }

    @Override
    public void onLost(LossListener listener) {
        holder.onLoss(new Loss(listener));
    }

    @Override
    public void removeLossListener(LossListener listener) {
        holder.removeLossListener(new Loss(listener));
    }

    /** The listener for the engine. */
    private record Loss(LossListener listener) implements Consumer<LockLostException> {
        @Override
        public void accept(LockLostException loss) {
            listener.lost(loss);
        }
    }

    @Override
    public void extend(Duration length) {
        Duration allowed = lengths.allowed(length);
        if (holder.isRenewed()) {
            throw new IllegalStateException(
                    "the lease of '" + name
                            + "' is renewed in the background until it is released; only a lease of withFixedLease can be extended");
        }
        boolean interrupted = Thread.interrupted(); // it would only break the connection; it is kept for the caller
        try {
            CompletableFuture<ExtendResult> end = new CompletableFuture<>();
            boolean wasHeld = holder.extend(allowed, Lane.CALLER, end::complete);
            ExtendResult result = wasHeld ? Blocking.join(end) : new ExtendResult.Ended();
            if (result instanceof ExtendResult.Unconfirmed unconfirmed) {
                throw new LockUnavailableException(
                        "the store did not confirm that the lease of '" + name + "' is extended to "
                                + DurationText.format(length) + "; it keeps its former end: "
                                + CauseLine.of(unconfirmed.cause()),
                        unconfirmed.cause());
            } else if (result instanceof ExtendResult.Ended) {
                ensureHeld(); // throws
            }
        } finally {
            restore(interrupted);
        }
    }

    @Override
    public void holdAtLeast(Duration minimum) {
        DefaultLock.requireMinimumHold(minimum);
        if (!holder.holdAtLeast(minimum)) {
            ensureHeld(); // throws
        }
    }

    @Override
    public boolean release() {
        boolean interrupted = Thread.interrupted(); // it would only break the connection; it is kept for the caller
        try {
            CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
            return holder.release(Lane.CALLER, RELEASE_PATIENCE, end::complete) && wasHeld(end);
        } finally {
            restore(interrupted);
        }
    }

    /**
     * Releases a lease that must be held.
     *
     * @throws LockLostException if it was lost
     * @throws IllegalStateException if it was released before, such as by the close of its locks
     */
    void releaseHeld() {
        boolean interrupted = Thread.interrupted();
        try {
            CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
            if (!holder.release(Lane.CALLER, RELEASE_PATIENCE, end::complete)) {
                ensureHeld(); // throws
            } else if (!wasHeld(end)) {
                throw new LockLostException(
                        "the lease of '" + name + "' with token " + fencingToken() + " was over when it was released");
            }
        } finally {
            restore(interrupted);
        }
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        return AsyncRelease.completedOn(completions, beginRelease());
    }

    /** Releases the lease without waiting; completed on a thread of the engine. */
    CompletableFuture<Boolean> beginRelease() {
        CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
        return holder.release(Lane.BACKGROUND, RELEASE_PATIENCE, end::complete)
                ? end.thenApply(this::wasHeld)
                : CompletableFuture.completedFuture(false);
    }

    private boolean wasHeld(CompletableFuture<ReleaseResult> end) {
        return wasHeld(Blocking.join(end));
    }

    private boolean wasHeld(ReleaseResult result) {
        Throwable cause = result.cause();
        if (cause != null) {
            throw new LockUnavailableException(
                    "no result from the store for the release of '" + name
                            + (result.isAbandoned()
                                    ? "', which is not repeated any more: the lock may stay busy until its lease expires, as "
                                    : "', which is repeated in the background: ")
                            + CauseLine.of(cause),
                    cause);
        }
        return result.wasHeld();
    }

    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            CompletableFuture<ReleaseResult> end = new CompletableFuture<>();
            if (holder.release(Lane.CALLER, Duration.ZERO, end::complete)) {
                Blocking.join(end);
            }
        } finally {
            restore(interrupted);
        }
    }

    /** Releases the lease as {@link #close} does, without waiting. */
    void closeInBackground() {
        boolean unused = holder.release(Lane.CLEANUP, Duration.ZERO, ignored -> {});
    }

    /** Releases a lease that the application never received. */
    void discard() {
        holder.discard();
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "lease of '" + name + "', token " + fencingToken() + ", " + state();
    }
}
