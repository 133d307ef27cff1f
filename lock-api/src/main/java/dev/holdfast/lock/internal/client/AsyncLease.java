package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.time.DaemonThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The future of a lease. Completed on the common pool, never on a thread of the engine: the next stages of an application may take
 * as long as they like. If it is completed in another way, such as {@code cancel}, the waiter is withdrawn, and a
 * lock that is granted nevertheless is released.
 */
final class AsyncLease extends CompletableFuture<Lease> {

    private static final Logger log = LoggerFactory.getLogger(AsyncLease.class);

    /** The common pool, unless that is so small that the JDK starts a thread for each completion. */
    private static final Executor USUAL =
            ForkJoinPool.getCommonPoolParallelism() > 1 ? ForkJoinPool.commonPool() : DaemonThreads.reused("async");

    private final Executor threads;

    /** Completed on the usual threads. */
    AsyncLease() {
        this(USUAL);
    }

    /** @param threads complete it */
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
        apart(() -> {
            if (!complete(lease)) {
                lease.discard();
            }
        });
    }

    void failed(RuntimeException failure) {
        apart(() -> completeExceptionally(failure));
    }

    private void apart(Runnable completion) {
        try {
            threads.execute(completion);
        } catch (Throwable e) { // no thread available: complete it on this one
            log.error("no thread is available: a future is completed on the current thread", e);
            completion.run();
        }
    }

    /** Dependent stages are ordinary futures: cancelling one does not withdraw the waiter. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
