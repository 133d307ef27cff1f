package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.reactor.ReactorLock;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Calls {@link Locked} methods that return a publisher, or that suspend, which Spring makes publishers of. Each subscription acquires
 * the locks, then calls the method and subscribes to its publisher, and releases the locks when that has ended. The scope of the call
 * is in the context of its publisher. Loaded only if lock-reactor is present. Thread-safe.
 */
final class ReactiveCalls {

    private final Supplier<Locks> locks;

    ReactiveCalls(Supplier<Locks> locks) {
        this.locks = locks;
    }

    /** The innermost scope of this context, or of this thread. */
    static @Nullable LockScope scope(ContextView context) {
        return context.getOrDefault(LockScope.class, LockScope.current());
    }

    /** The result of the call: a publisher, which calls the method for each of its subscribers. */
    Object of(MethodInvocation invocation, LockedMethod method, List<String> names) {
        List<String> ordered = ordered(method, names);
        Flux<Object> elements = Flux.deferContextual(
                context -> new Call(invocation, method, names, scope(context)).run(ordered, List.of()));
        Publisher<?> result = method.result().isMany() ? elements : elements.singleOrEmpty();
        ReactiveAdapter adapter = method.result().adapter();
        return adapter == null ? result : adapter.fromPublisher(result);
    }

    /** In the order in which every other call acquires several locks, too, so that no two wait for each other. */
    private static List<String> ordered(LockedMethod method, List<String> names) {
        if (names.size() > 1 && !method.options().areAllowedForSeveral()) {
            throw new IllegalArgumentException(method + ": " + LockedMethod.Options.SINGLE_NAME_ONLY + ": " + names);
        }
        try {
            return names.stream()
                    .map(LockName::new)
                    .sorted()
                    .map(LockName::value)
                    .toList();
        } catch (IllegalArgumentException e) { // a name that no lock can have
            throw new IllegalArgumentException(method + ": " + e.getMessage(), e);
        }
    }

    /** A call for one subscriber. */
    private final class Call {

        private final MethodInvocation invocation;
        private final LockedMethod method;
        private final List<String> names;
        private final @Nullable LockScope outer;
        private final long start = System.nanoTime();

        Call(MethodInvocation invocation, LockedMethod method, List<String> names, @Nullable LockScope outer) {
            this.invocation = invocation;
            this.method = method;
            this.names = names;
            this.outer = outer;
        }

        /** Runs the method while holding the missing locks, too. */
        Flux<Object> run(List<String> missing, List<LockHold> holds) {
            if (missing.isEmpty()) {
                return runBody(holds);
            }
            List<String> rest = missing.subList(1, missing.size());
            return Flux.usingWhen(
                    hold(missing.get(0)),
                    hold -> {
                        hold.requireFor(method);
                        return ReactorLock.whileHeldMany(hold.locks(), run(rest, with(holds, hold)));
                    },
                    hold -> Mono.fromFuture(hold::releaseAsync).onErrorComplete()); // logged, and repeated
        }

        /** Joins the hold of an outer call, or acquires the lock; empty if it is busy and the call is to be skipped. */
        private Mono<LockHold> hold(String name) {
            LockHold joined =
                    LockScope.joinFrom(outer, locks.get(), List.of(name)).get(name);
            if (joined != null) {
                return Mono.create(sink -> {
                    sink.onCancel(
                            () -> { // only while nothing was emitted
                                CompletableFuture<Boolean> unused = joined.releaseAsync();
                            });
                    sink.success(joined);
                });
            }
            ReactorLock lock = ReactorLock.of(method.options().lock(locks.get(), name));
            Duration wait = timeLeft();
            Mono<LockHold> hold = (wait == null ? lock.acquire() : lock.acquire(wait))
                    .map(lease ->
                            new LockHold(locks.get(), lease, method.options().share()));
            return method.isSkipping() ? hold.onErrorComplete(LockTimeoutException.class) : hold;
        }

        /** The rest of the wait for all locks together; null for that of the locks. */
        private @Nullable Duration timeLeft() {
            Duration all = method.options().acquireTimeout();
            if (all == null) {
                return method.isSkipping() ? Duration.ZERO : null;
            }
            Duration left = all.minusNanos(System.nanoTime() - start);
            return names.size() == 1 ? all : left.isNegative() ? Duration.ZERO : left;
        }

        private Flux<Object> runBody(List<LockHold> holds) {
            LockScope scope = new LockScope(method, names, holds, null, false, outer);
            Publisher<?> publisher;
            try {
                publisher = publisher(scope.call(this::proceed));
            } catch (Throwable thrown) {
                return Flux.error(thrown);
            }
            return Flux.<Object>from(publisher).contextWrite(Context.of(LockScope.class, scope));
        }

        /** As often as there are subscribers, and on any thread: interceptors further in may ask for the current invocation. */
        private @Nullable Object proceed() throws Throwable {
            MethodInvocation again =
                    invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
            return ExposeInvocationInterceptor.INSTANCE.invoke(again);
        }

        private Publisher<?> publisher(@Nullable Object result) {
            ReactiveAdapter adapter = method.result().adapter();
            if (adapter != null) {
                return adapter.toPublisher(result);
            }
            return result instanceof Publisher<?> publisher ? publisher : Mono.justOrEmpty(result);
        }
    }

    private static List<LockHold> with(List<LockHold> holds, LockHold another) {
        List<LockHold> all = new ArrayList<>(holds);
        all.add(another);
        return all;
    }
}
