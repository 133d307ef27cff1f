package dev.holdfast.lock.tck;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A barrier for all lanes of some histories, which opens after the restart of the store. Thread-safe. */
final class HalfTime {

    private final AtomicInteger missing;
    private final @Nullable Runnable restart;
    private final CompletableFuture<Boolean> over = new CompletableFuture<>();
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Restarted restarted;

    /** When the store was restarted, on the clock of {@link System#nanoTime}. */
    record Restarted(long from, long to) {}

    /** @param restart run by the lane that arrives last; null if the lanes need not wait */
    HalfTime(int lanes, @Nullable Runnable restart) {
        this.missing = new AtomicInteger(lanes);
        this.restart = restart;
    }

    /** Waits for all lanes. Returns false if one of them, or the restart, has failed. */
    boolean await() {
        if (restart == null) {
            return true;
        }
        if (missing.decrementAndGet() == 0) {
            over.complete(isDone(restart));
        }
        try {
            return over.get(Kit.LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new RuleBroken("the other callers of the history are still busy after " + Kit.LONG, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Keeps a failure for the thread of the rule: a store that cannot be restarted aborts it. */
    private boolean isDone(Runnable action) {
        long from = System.nanoTime();
        try {
            action.run();
            restarted = new Restarted(from, System.nanoTime());
            return true;
        } catch (RuntimeException | Error e) {
            failure = e;
            return false;
        }
    }

    /** Releases all lanes that wait, now or later. */
    void cancel() {
        over.complete(false);
    }

    /** Throws the exception of the restart, if any. */
    void rethrow() {
        if (failure instanceof RuntimeException thrown) {
            throw thrown;
        } else if (failure instanceof Error thrown) {
            throw thrown;
        }
    }

    /** Empty if there was no restart. */
    Optional<Restarted> restarted() {
        return Optional.ofNullable(restarted);
    }
}
