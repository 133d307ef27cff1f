package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.locks.WatchedStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RandomCancellations;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Locked methods that return publishers. */
@Timeout(180)
class LockedPublishersTest {

    private final WatchedStore store = new WatchedStore(InstantSource.system());
    private AnnotationConfigApplicationContext context;
    private Service service;
    private Locks locks;
    private Probe probe;

    @BeforeEach
    void start() {
        locks = Locks.open(store, new Properties());
        context = Contexts.of(locks, Service.class, Blocking.class, Aspects.class, Counting.class);
        service = context.getBean(Service.class);
        probe = context.getBean(Probe.class);
    }

    @AfterEach
    void close() {
        assertThat(LockScope.current()).isNull();
        context.close();
    }

    @Test
    void mono_onAnyThread_isUnderTheLockUntilItCompletes() {
        String seen = service.mono(() -> Mono.fromCallable(() -> probe.isFree("x"))
                        .publishOn(Schedulers.parallel())
                        .map(free -> free + " " + probe.isFree("x")))
                .block();
        assertThat(seen).isEqualTo("false false");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void mono_beforeASubscription_acquiresNothingAndCallsNothing() {
        AtomicInteger calls = new AtomicInteger();
        Mono<Integer> mono = service.mono(() -> Mono.just(calls.incrementAndGet()));
        assertThat(calls).hasValue(0);
        assertThat(store.acquires()).isEmpty();

        assertThat(mono.block()).isEqualTo(1);
        assertThat(mono.block()).isEqualTo(2);
        assertThat(store.acquires("x")).hasSize(2);
    }

    @Test
    void mono_thatFails_releasesTheLockAndFailsWithTheSameError() {
        assertThatThrownBy(() -> service.mono(() -> Mono.error(new IllegalStateException("later")))
                        .block())
                .hasMessage("later");
        assertThatThrownBy(() -> service.mono(() -> {
                            throw new IllegalStateException("at once");
                        })
                        .block())
                .hasMessage("at once");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void flux_untilItsLastElementOrItsCancellation_isUnderTheLock() {
        assertThat(service.flux(() -> Flux.just(1, 2).map(number -> number + " " + probe.isFree("x")))
                        .collectList()
                        .block())
                .containsExactly("1 false", "2 false");
        assertThat(probe.isFree("x")).isTrue();

        assertThat(service.flux(() -> Flux.just(1, 2)).take(1).blockLast()).isEqualTo(1);
        Await.until("the lock is free", () -> probe.isFree("x"));
    }

    @Test
    void publisherOfTheJdk_isUnderTheLock() {
        assertThat(JdkFlowAdapter.flowPublisherToFlux(service.flow(() -> probe.isFree("x")))
                        .blockLast())
                .isEqualTo(false);
    }

    @Test
    void subscription_whenBusy_failsOrIsEmpty() {
        try (Lease other = locks.named("x").tryAcquire().orElseThrow()) {
            Mono<String> soon = service.soon();
            assertThatThrownBy(soon::block).isInstanceOf(LockTimeoutException.class);
            assertThat(service.skippedMono().blockOptional()).isEmpty();
            assertThat(service.skippedFlux().collectList().block()).isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(service.skippedMono().block()).isEqualTo("done");
    }

    @Test
    void subscription_cancelledAtAnyPoint_leavesNothingAtTheStore() {
        RandomCancellations.runOn(ours -> {
            @SuppressWarnings("resource") // closing it would close the locks
            Named named = Contexts.of(ours, Named.class).getBean(Named.class);
            return (lock, held, endless) ->
                    named.run(lock.name(), held, endless).subscribe()::dispose;
        });
    }

    @Test
    void lease_onAnyThread_isInTheContext() {
        List<Long> tokens = service.mono(() -> Mono.just(CurrentLease.token()) // in the method itself
                        .publishOn(Schedulers.parallel())
                        .flatMap(
                                token -> ReactiveCurrentLease.get().map(lease -> List.of(token, lease.fencingToken()))))
                .block();
        assertThat(tokens.get(0)).isPositive().isEqualTo(tokens.get(1));
        assertThatThrownBy(() -> ReactiveCurrentLease.get().block()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(
                        () -> service.mono(() -> ReactiveCurrentLease.get("y")).block())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("holds 'y'");
    }

    @Test
    void lease_inTheContext_isReleasedByTheMethodOnly() {
        assertThatThrownBy(() -> service.mono(() -> ReactiveCurrentLease.get().map(Lease::release))
                        .block())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void innerSubscription_onAnyThread_joinsTheLease() {
        Mono<Long> token = ReactiveCurrentLease.get().map(Lease::fencingToken);
        List<Long> tokens = service.mono(() -> token.publishOn(Schedulers.parallel())
                        .flatMap(outer -> service.mono(() -> token).map(inner -> List.of(outer, inner))))
                .block();
        assertThat(tokens.get(0)).isEqualTo(tokens.get(1));
        assertThat(store.acquires("x")).hasSize(1);
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void innerSubscription_ofABlockingMethod_joinsTheLease() {
        long[] tokens = context.getBean(Blocking.class).run(() -> {
            long inner = service.mono(() -> ReactiveCurrentLease.get().map(Lease::fencingToken))
                    .block();
            return new long[] {CurrentLease.token(), inner};
        });
        assertThat(tokens[0]).isEqualTo(tokens[1]);
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void innerSubscription_thatWouldWaitForItself_isRefused() {
        assertThatThrownBy(() -> service.read(() -> service.mono(() -> Mono.just("written")))
                        .block())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "its caller holds [x] (1 of any number), and it would wait for itself for 1 of 1");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void lease_whenLost_cancelsThePublisherAndFailsTheResult() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        CompletableFuture<Lease> received = new CompletableFuture<>();
        CompletableFuture<Object> result = service.fixed(() -> {
                    received.complete(CurrentLease.get());
                    return Mono.never().doOnCancel(cancelled::countDown);
                })
                .toFuture();
        Lease lease = Await.result(received);
        store.end("x");
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(1))).isInstanceOf(LockLostException.class);

        Await.opened(cancelled);
        assertThatThrownBy(() -> Await.result(result)).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void severalNames_areHeldTogetherOrNotAtAll() {
        assertThat(service.both(names -> probe.isFree("x") + " " + probe.isFree("y") + " " + names)
                        .block())
                .isEqualTo("false false [y, x]");
        try (Lease other = locks.named("y").tryAcquire().orElseThrow()) {
            assertThatThrownBy(() -> service.both(List::toString).block()).isInstanceOf(LockTimeoutException.class);
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void innerInterceptors_onAnyThread_runForEachSubscription() throws Exception {
        Mono<String> mono = service.mono(() -> Mono.just("done"));
        Lease other = locks.named("x").acquire();
        CompletableFuture<String> first = mono.toFuture();
        other.close(); // the subscription goes on on a thread of Holdfast
        assertThat(Await.result(first)).isEqualTo("done");
        assertThat(mono.block()).isEqualTo("done");
        assertThat(context.getBean(Counting.class).calls).containsExactly("mono", "mono");
    }

    static class Service {

        @Locked("x")
        <T> Mono<T> mono(Supplier<Mono<T>> body) {
            return body.get();
        }

        @Locked("x")
        <T> Flux<T> flux(Supplier<Flux<T>> body) {
            return body.get();
        }

        @Locked("x")
        Flow.Publisher<Boolean> flow(Supplier<Boolean> body) {
            return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromSupplier(body));
        }

        @Locked(value = "x", shared = true)
        <T> Mono<T> read(Supplier<Mono<T>> body) {
            return body.get();
        }

        @Locked(value = "x", fixedLease = "1m")
        <T> Mono<T> fixed(Supplier<Mono<T>> body) {
            return body.get();
        }

        @Locked(value = "x", acquireTimeout = "0s")
        Mono<String> soon() {
            return Mono.just("done");
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        Mono<String> skippedMono() {
            return Mono.just("done");
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        Flux<String> skippedFlux() {
            return Flux.just("done");
        }

        @Locked(
                value = {"y", "x"},
                acquireTimeout = "0s")
        Mono<String> both(Function<List<String>, String> body) {
            return Mono.just(body.apply(CurrentLease.names()));
        }
    }

    static class Named {

        @Locked("#{#name}")
        Mono<Object> run(String name, Runnable held, boolean endless) {
            held.run();
            return endless ? Mono.never() : Mono.empty();
        }
    }

    static class Blocking {

        @Locked("x")
        <T> T run(Supplier<T> body) {
            return body.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy
    static class Aspects {}

    @Aspect
    static class Counting {

        final List<String> calls = new CopyOnWriteArrayList<>();

        @Before("execution(* dev.holdfast.lock.spring.LockedPublishersTest.Service.mono(..))")
        public void count(JoinPoint point) {
            calls.add(point.getSignature().getName());
        }
    }
}
