package dev.holdfast.lock.reactor;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.HeldLocks;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A {@link DistributedLock} for Reactor: exclusive, {@linkplain DistributedLock#shared() shared}, or
 * {@linkplain dev.holdfast.lock.DistributedSemaphore#permits permits}. Immutable and thread-safe.
 *
 * <p>Every publisher here is cold: each subscription acquires the lock for itself, and no thread waits meanwhile. <em>Cancelling</em> the
 * subscription while it waits withdraws the request: it then does not acquire the lock, now or later. Signals come on a thread of
 * Holdfast, or on that of the subscriber if the lock is granted meanwhile: a body that blocks needs a scheduler of its own.
 *
 * <p>A subscription fails as {@link DistributedLock#acquire()} does: with {@link dev.holdfast.lock.LockTimeoutException} if the lock
 * stayed busy, with {@link dev.holdfast.lock.LockUnavailableException} if the store did not answer, and with {@link
 * IllegalStateException} once the locks are closed.
 */
public final class ReactorLock {

    private final DistributedLock lock;

    private ReactorLock(DistributedLock lock) {
        this.lock = lock;
    }

    /** This lock, with its length of leases and its minimum hold. */
    public static ReactorLock of(DistributedLock lock) {
        return new ReactorLock(lock);
    }

    /**
     * Waits as {@link DistributedLock#acquire()} does, and emits the lease. From then on the subscriber has to release it, even if it is
     * cancelled at that instant: an operator in between that drops the element leaks the lease, which is renewed for ever. {@link
     * #withLock(Function)} and {@link Mono#usingWhen} don't.
     */
    public Mono<Lease> acquire() {
        return leaseOf(lock::acquireAsync);
    }

    /**
     * As {@link #acquire()}, for this long at most.
     *
     * @param wait zero (one attempt) or longer
     */
    public Mono<Lease> acquire(Duration wait) {
        return leaseOf(() -> lock.acquireAsync(wait));
    }

    /**
     * Runs the body while holding the lock; waits as {@link DistributedLock#acquire()} does. The lock is released when the body completes,
     * fails or is cancelled. A result or a failure is emitted after the release, for which the store is waited for up to ten seconds if it
     * is silent. A cancelled subscription does not wait, neither for the store nor for work of the body that goes on although it is
     * cancelled.
     *
     * <p><em>If the lease is lost</em>, the body is cancelled, and the subscription fails with {@link
     * dev.holdfast.lock.LockLostException} at once. It never completes normally if the lease was lost before the body ended.
     *
     * @param body is not called unless the lock is acquired; need not release the lease
     */
    public <T> Mono<T> withLock(Function<? super Lease, ? extends Mono<? extends T>> body) {
        return holding(acquire(), body);
    }

    /**
     * As {@link #withLock(Function)}, after waiting for this long at most.
     *
     * @param wait zero (one attempt) or longer
     */
    public <T> Mono<T> withLock(Duration wait, Function<? super Lease, ? extends Mono<? extends T>> body) {
        return holding(acquire(wait), body);
    }

    /**
     * As {@link #withLock(Function)}, for a body with any number of elements. They are emitted as they come, while the lock is held; a
     * subscriber that requests no more of them keeps the lock.
     */
    public <T> Flux<T> withLockMany(Function<? super Lease, ? extends Publisher<? extends T>> body) {
        return holdingMany(acquire(), body);
    }

    /**
     * As {@link #withLockMany(Function)}, after waiting for this long at most.
     *
     * @param wait zero (one attempt) or longer
     */
    public <T> Flux<T> withLockMany(Duration wait, Function<? super Lease, ? extends Publisher<? extends T>> body) {
        return holdingMany(acquire(wait), body);
    }

    /**
     * What the publisher emits, but only while these locks are held: if they are lost, it is cancelled, and the result fails with {@link
     * dev.holdfast.lock.LockLostException}. Does not release them.
     */
    public static <T> Mono<T> whileHeld(HeldLocks locks, Mono<? extends T> body) {
        return Mono.<T>from(body).takeUntilOther(lossOf(locks)).doOnSuccess(result -> locks.ensureHeld());
    }

    /** As {@link #whileHeld}, for any number of elements. */
    public static <T> Flux<T> whileHeldMany(HeldLocks locks, Publisher<? extends T> body) {
        return Flux.<T>from(body).takeUntilOther(lossOf(locks)).doOnComplete(locks::ensureHeld);
    }

    private static <T> Mono<T> holding(Mono<Lease> lease, Function<? super Lease, ? extends Mono<? extends T>> body) {
        return Mono.usingWhen(lease, held -> whileHeld(held, body.apply(held)), ReactorLock::release);
    }

    private static <T> Flux<T> holdingMany(
            Mono<Lease> lease, Function<? super Lease, ? extends Publisher<? extends T>> body) {
        return Flux.usingWhen(lease, held -> whileHeldMany(held, body.apply(held)), ReactorLock::release);
    }

    /**
     * Emits the lease of a request. Not {@link Mono#fromFuture}: if it is cancelled before it is subscribed to in full, a lease that
     * was granted by then would go unnoticed.
     */
    private static Mono<Lease> leaseOf(Supplier<CompletableFuture<Lease>> request) {
        return Mono.create(sink -> {
            CompletableFuture<Lease> future = request.get();
            sink.onCancel(() -> withdraw(future)); // only while nothing was emitted
            CompletableFuture<Lease> unused = future.whenComplete((lease, failure) -> {
                if (failure == null) {
                    sink.success(lease);
                } else if (!future.isCancelled()) {
                    sink.error(failure);
                }
            });
        });
    }

    /** A cancelled future withdraws its request. A lease that it has by now was of no use, and keeps the lock for no minimum. */
    private static void withdraw(CompletableFuture<Lease> future) {
        if (!future.cancel(false)) {
            CompletableFuture<Boolean> unused = future.thenCompose(lease -> {
                lease.holdAtLeast(Duration.ZERO);
                return lease.releaseAsync();
            });
        }
    }

    /** Completes once the locks are lost. */
    private static Mono<Void> lossOf(HeldLocks locks) {
        return Mono.create(sink -> locks.onLost(loss -> sink.success()));
    }

    /** As {@link HeldLocks#close}: an unanswered release is logged and repeated, and is not a failure of the body. */
    private static Mono<Boolean> release(HeldLocks locks) {
        return Mono.fromFuture(locks::releaseAsync).onErrorComplete();
    }
}
