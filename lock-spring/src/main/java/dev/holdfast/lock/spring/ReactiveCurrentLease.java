package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import reactor.core.publisher.Mono;

/**
 * As {@link CurrentLease}, for a {@link Locked} method that returns a publisher or suspends: the lease is in Reactor's context, whatever
 * thread runs an operator. A suspend function calls {@code ReactiveCurrentLease.get().awaitSingle()}.
 *
 * <p>Thread-safe. Needs lock-reactor on the class path.
 */
public final class ReactiveCurrentLease {

    private ReactiveCurrentLease() {}

    /**
     * Emits the lease of the running method. Fails with {@link IllegalStateException} if the subscriber is not part of a {@code @Locked}
     * method, or that holds several locks; see {@link #get(String)}.
     */
    public static Mono<Lease> get() {
        return Mono.deferContextual(context -> {
            LockScope scope = ReactiveCalls.scope(context);
            return scope == null ? missing("a lock") : Mono.just(CurrentLease.of(scope));
        });
    }

    /**
     * Emits the lease of this name that the running method or an outer one holds. Fails with {@link IllegalStateException} if none
     * holds it.
     */
    public static Mono<Lease> get(String name) {
        return Mono.deferContextual(context -> {
            Lease lease = CurrentLease.of(ReactiveCalls.scope(context), name);
            return lease == null ? missing("'" + name + "'") : Mono.just(lease);
        });
    }

    private static Mono<Lease> missing(String what) {
        return Mono.error(() -> new IllegalStateException("no @Locked method of this Reactor context holds " + what
                + ". The context is that of the subscriber: a publisher that is subscribed to apart, such as by subscribe() or"
                + " block(), does not have it"));
    }
}
