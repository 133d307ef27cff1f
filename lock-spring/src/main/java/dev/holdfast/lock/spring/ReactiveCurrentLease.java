package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import reactor.core.publisher.Mono;

/**
 * {@link CurrentLease} for a {@link Locked} method that returns a publisher or suspends: the lease is in Reactor's context, on any
 * thread. A suspend function calls {@code ReactiveCurrentLease.get().awaitSingle()}.
 *
 * <p>Thread-safe. Needs lock-reactor on the class path.
 */
public final class ReactiveCurrentLease {

    private ReactiveCurrentLease() {}

    /**
     * Emits the lease of the running method. Fails with {@link IllegalStateException} if the subscriber's context is not that of a
     * {@code @Locked} method, or if the method holds several locks; see {@link #get(String)}.
     */
    public static Mono<Lease> get() {
        return Mono.deferContextual(context -> {
            LockScope scope = ReactiveCalls.scope(context);
            return scope == null ? missing("a lock") : Mono.just(CurrentLease.of(scope));
        });
    }

    /**
     * Emits the lease of this name that the running method or an outer one holds. Fails with {@link IllegalStateException} if
     * neither does.
     */
    public static Mono<Lease> get(String name) {
        return Mono.deferContextual(context -> {
            Lease lease = CurrentLease.of(ReactiveCalls.scope(context), name);
            return lease == null ? missing("'" + name + "'") : Mono.just(lease);
        });
    }

    private static Mono<Lease> missing(String what) {
        return Mono.error(() -> new IllegalStateException("no @Locked method of this Reactor context holds " + what
                + ". The context is that of the subscriber: a publisher with a subscription of its own, such as by"
                + " subscribe() or block(), does not have it"));
    }
}
