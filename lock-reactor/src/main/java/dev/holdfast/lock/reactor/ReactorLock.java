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
 * A {@link DistributedLock} for Reactor: an exclusive or {@linkplain DistributedLock#shared() shared} lock, or {@linkplain
 * dev.holdfast.lock.DistributedSemaphore#permits permits} of a semaphore. Immutable and thread-safe.
 *
 * <p>The publishers are cold: each subscription acquires the lock for itself, without blocking a thread. <em>Cancelling</em> a
 * subscription that waits for the lock withdraws its request: it then does not acquire the lock, now or later. Signals are emitted on a
 * thread of Holdfast, or on the subscribing thread if the lock is granted during the subscription: a body that blocks needs a scheduler
 * of its own.
 *
 * <p>A subscription fails as {@link DistributedLock#acquire()} does: with {@link dev.holdfast.lock.LockTimeoutException} if the lock
 * was busy for the whole wait, with {@link dev.holdfast.lock.LockUnavailableException} if the store did not answer, and with {@link
 * IllegalStateException} once the locks are closed. If the wait is negative, it fails with {@link IllegalArgumentException}.
 *
 * <p>Reactor throws errors of the JVM and of class loading, such as {@link NoClassDefFoundError}, instead of passing them on. One that is
 * thrown where the body is subscribed to, or where its elements arrive, is the failure of the subscription, and the lock is released. One
 * that is thrown within the body on another thread reaches no subscriber: the lock is held until the subscription is cancelled, as by
 * {@code timeout}.
 */
public final class ReactorLock {

    private final DistributedLock lock;

    private ReactorLock(DistributedLock lock) {
        this.lock = lock;
    }

    /** This lock, with the lease length and the minimum hold of this view of it. */
    public static ReactorLock of(DistributedLock lock) {
        return new ReactorLock(lock);
    }

    /**
     * Waits as {@link DistributedLock#acquire()} does, and emits the lease. The subscriber must release it, even if it is cancelled at
     * that instant. An operator in between that drops the element leaks the lease, which is renewed for as long as the process lives;
     * {@link #withLock(Function)} and {@link Mono#usingWhen} do not drop it.
     */
    public Mono<Lease> acquire() {
        return leaseOf(lock::acquireAsync);
    }

    /**
     * As {@link #acquire()}, but waits for this long at most.
     *
     * @param wait zero (one attempt) or longer
     */
    public Mono<Lease> acquire(Duration wait) {
        return leaseOf(() -> lock.acquireAsync(wait));
    }

    /**
     * Runs the body while holding the lock; waits as {@link DistributedLock#acquire()} does. The lock is released when the body completes,
     * fails or is cancelled. The result or failure of the body is emitted after the release, which a silent store delays by ten seconds
     * at most. A cancelled subscription waits neither for the store nor for work of the body that continues after the cancellation.
     *
     * <p><em>If the lease is lost</em>, the body is cancelled, and the subscription fails with {@link
     * dev.holdfast.lock.LockLostException} at once. It never completes normally if the lease was lost before the body ended.
     *
     * @param body called with the lease once it is granted, and otherwise never; need not release it
     */
    public <T> Mono<T> withLock(Function<? super Lease, ? extends Mono<? extends T>> body) {
        return holding(acquire(), body);
    }

    /**
     * As {@link #withLock(Function)}, but waits for this long at most.
     *
     * @param wait zero (one attempt) or longer
     */
    public <T> Mono<T> withLock(Duration wait, Function<? super Lease, ? extends Mono<? extends T>> body) {
        return holding(acquire(wait), body);
    }

    /**
     * As {@link #withLock(Function)}, for a body with any number of elements. They are emitted as they arrive, while the lock is held: a
     * subscriber that stops requesting elements keeps the lock.
     */
    public <T> Flux<T> withLockMany(Function<? super Lease, ? extends Publisher<? extends T>> body) {
        return holdingMany(acquire(), body);
    }

    /**
     * As {@link #withLockMany(Function)}, but waits for this long at most.
     *
     * @param wait zero (one attempt) or longer
     */
    public <T> Flux<T> withLockMany(Duration wait, Function<? super Lease, ? extends Publisher<? extends T>> body) {
        return holdingMany(acquire(wait), body);
    }

    /**
     * Emits what the body emits while these locks are held. If they are lost, the body is cancelled, and the result fails with {@link
     * dev.holdfast.lock.LockLostException}. If they are released before the body completes, the result fails with {@link
     * IllegalStateException} instead of completing. Does not release the locks.
     */
    public static <T> Mono<T> whileHeld(HeldLocks locks, Mono<? extends T> body) {
        Mono<T> ended = ThrownErrors.signalled(Mono.<T>from(body))
                .takeUntilOther(lossOf(locks))
                .doOnSuccess(result -> locks.ensureHeld());
        return ThrownErrors.signalled(ended); // those of the subscriber, which takeUntilOther does not survive
    }

    /** As {@link #whileHeld}, for a body with any number of elements. */
    public static <T> Flux<T> whileHeldMany(HeldLocks locks, Publisher<? extends T> body) {
        Flux<T> ended = ThrownErrors.signalled(Flux.<T>from(body))
                .takeUntilOther(lossOf(locks))
                .doOnComplete(locks::ensureHeld);
        return ThrownErrors.signalled(ended);
    }

    private static <T> Mono<T> holding(Mono<Lease> lease, Function<? super Lease, ? extends Mono<? extends T>> body) {
        return Mono.usingWhen(lease, held -> whileHeld(held, body.apply(held)), ReactorLock::release);
    }

    private static <T> Flux<T> holdingMany(
            Mono<Lease> lease, Function<? super Lease, ? extends Publisher<? extends T>> body) {
        return Flux.usingWhen(lease, held -> whileHeldMany(held, body.apply(held)), ReactorLock::release);
    }

    /**
     * Emits the lease of a request. Not {@link Mono#fromFuture}: a cancellation during its subscription can leak a lease that has already
     * been granted.
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

    /** Cancels the future, which withdraws its request. A lease granted by then was never used: its minimum hold is dropped. */
    private static void withdraw(CompletableFuture<Lease> future) {
        if (!future.cancel(false)) {
            CompletableFuture<Boolean> unused = future.thenCompose(lease -> {
                lease.holdAtLeast(Duration.ZERO);
                return lease.releaseAsync();
            });
        }
    }

    /** Completes once the locks are lost. They may outlive the subscription by far, and forget it when it ends. */
    private static Mono<Void> lossOf(HeldLocks locks) {
        return Mono.create(sink -> {
            Lease.LossListener listener = loss -> sink.success();
            locks.onLost(listener);
            sink.onDispose(() -> locks.removeLossListener(listener));
        });
    }

    /** As {@link HeldLocks#close}: an unanswered release is logged and repeated, and does not fail the result. */
    private static Mono<Boolean> release(HeldLocks locks) {
        return Mono.fromFuture(locks::releaseAsync).onErrorComplete();
    }
}
