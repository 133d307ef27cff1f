package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.internal.engine.Waiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The future of a lease. Completed on a thread that runs code of the application, never on one of the engine: the next stages may
 * take as long as they like. If it is completed in another way, such as {@code cancel}, the waiter is withdrawn, and a
 * lock that is granted nevertheless is released.
 */
final class AsyncLease extends CompletableFuture<Lease> {

    private final Executor threads;

    /** @param threads complete it; never fail */
    AsyncLease(Executor threads) {
        this.threads = threads;
    }

    void withdrawBy(Waiter waiter) {
        CompletableFuture<Void> unused = handle((lease, failure) -> {
            waiter.withdraw(); // does nothing if it has its outcome
            return null;
        });
    }

    void granted(DefaultLease lease) {
        threads.execute(() -> {
            if (!complete(lease)) {
                lease.discard();
            }
        });
    }

    void failed(RuntimeException failure) {
        threads.execute(() -> completeExceptionally(failure));
    }

    /** Dependent stages are ordinary futures: cancelling one does not withdraw the waiter. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
