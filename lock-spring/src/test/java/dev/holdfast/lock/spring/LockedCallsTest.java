package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.context.request.async.DeferredResult;
import reactor.core.publisher.Mono;

/** What a call of a locked method does. */
class LockedCallsTest {

    private AnnotationConfigApplicationContext context;
    private Service service;
    private Locks locks;
    private Probe probe;

    @BeforeEach
    void start() {
        context = Contexts.of(Service.class);
        service = context.getBean(Service.class);
        locks = context.getBean(Locks.class);
        probe = context.getBean(Probe.class);
    }

    @AfterEach
    void close() {
        assertThat(LockScope.current()).isNull();
        context.close();
    }

    /** The declared type may say nothing: the start cannot refuse it. */
    @Test
    void result_whoseWorkGoesOnAfterTheMethod_isRefused() throws Exception {
        for (Object result : List.of(Mono.just(1), new FutureTask<>(() -> 1), new DeferredResult<>())) {
            assertThatThrownBy(() -> service.call(() -> result))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call(Callable)")
                    .hasMessageContaining(result.getClass().getSimpleName());
            assertThat(probe.isFree("x")).isTrue();
        }
        FutureTask<Integer> done = new FutureTask<>(() -> 1);
        done.run();
        assertThat(service.<Object>call(() -> done)).isSameAs(done);
    }

    @Test
    void lock_isHeldDuringTheCallOnly() throws Exception {
        assertThat(service.<Boolean>call(() -> probe.isFree("x"))).isFalse();
        assertThat(probe.isFree("x")).isTrue();
        assertThatThrownBy(() -> service.call(() -> {
                    throw new IOException("of the body");
                }))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("of the body");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void call_whenBusy_throwsOrSkips() throws Exception {
        try (Lease other = locks.named("x").acquire()) {
            assertThatThrownBy(() -> service.soon()).isExactlyInstanceOf(LockTimeoutException.class);
            assertThat(service.skippedObject()).isNull();
            assertThat(service.skippedOptional()).isEmpty();
            assertThat(service.skippedOptionalInt()).isEmpty();
            service.skippedVoid();
            assertThat(service.skippedFuture()).isCompletedWithValue(null);
            assertThat(service.skippedFutureOfOptional()).isCompletedWithValue(Optional.empty());
            assertThat(service.skippedSeveral()).isNull();
            assertThat(probe.isFree("y")).isTrue();
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(service.skippedObject()).isEqualTo("done");
        assertThat(service.skippedSeveral()).isEqualTo(List.of("y", "x"));
    }

    @Test
    void call_whenInterruptedWhileWaiting_keepsTheFlagUnlessDeclared() throws Exception {
        try (Lease other = locks.named("x").acquire()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> service.undeclared())
                    .isExactlyInstanceOf(CancellationException.class)
                    .hasMessageContaining("undeclared()")
                    .hasCauseInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThatThrownBy(() -> service.declared()).isExactlyInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void lease_whenLostBeforeTheEnd_failsTheCall() {
        assertThatThrownBy(() -> service.shortLived(() -> null)).isExactlyInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> service.shortLived(() -> {
                    throw new IOException("of the body");
                }))
                .isExactlyInstanceOf(IOException.class)
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasOnlyElementsOfType(LockLostException.class));
        assertThatThrownBy(() -> service.shortLived(() -> {
                    CurrentLease.get().ensureHeld();
                    return null;
                }))
                .isExactlyInstanceOf(LockLostException.class);
    }

    @Test
    void call_ofTheSameNameInside_joinsTheLease() throws Exception {
        long token = service.call(() -> {
            long outer = CurrentLease.token();
            assertThat(service.<Long>call(CurrentLease::token)).isEqualTo(outer);
            assertThat(probe.isFree("x")).isFalse();
            assertThat(service.both(() -> CurrentLease.token("x"))).isEqualTo(outer);
            return outer;
        });
        assertThat(service.<Long>call(CurrentLease::token)).isGreaterThan(token);
    }

    @Test
    void call_thatJoinsALostLease_failsBeforeTheBody() {
        assertThatThrownBy(() -> service.shortLived(() -> service.call(() -> {
                    throw new AssertionError("the body ran");
                })))
                .isExactlyInstanceOf(LockLostException.class);
    }

    @Test
    void call_onAnotherThread_doesNotJoin() throws Exception {
        FutureTask<String> other = new FutureTask<>(() -> service.call(() -> CurrentLease.names() + ""));
        service.call(() -> {
            Thread thread = new Thread(other);
            thread.start();
            Await.until("the other waits", () -> thread.getState() == Thread.State.WAITING);
            assertThat(other.isDone()).isFalse();
            return null;
        });
        assertThat(Await.result(other)).isEqualTo("[x]");
    }

    @Test
    void futureOfJoinedCall_keepsTheOuterLock() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> inner = service.call(() -> service.future(work));
        assertThat(probe.isFree("x")).isFalse();
        work.complete("done");
        assertThat(Await.result(inner.toCompletableFuture())).isEqualTo("done");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void lock_ofFuture_isHeldUntilItIsCompleted() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> returned = service.future(work);
        assertThat(CurrentLease.optional()).isEmpty();
        assertThat(probe.isFree("x")).isFalse();
        returned.toCompletableFuture().cancel(true);
        assertThat(probe.isFree("x")).isFalse();
        work.complete("done");
        Await.until("the lock is released", () -> probe.isFree("x"));

        assertThat(service.future(CompletableFuture.completedFuture("at once")).toCompletableFuture())
                .isCompletedWithValue("at once");
        assertThat(probe.isFree("x")).isTrue();
        assertThat(service.future(null)).isNull();
        assertThat(probe.isFree("x")).isTrue();
    }

    /** It is a CompletableFuture, and throws when it is asked whether it is completed. */
    @Test
    void lock_ofMinimalStage_isHeldUntilItIsCompleted() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> returned = service.future(work.minimalCompletionStage());
        assertThat(probe.isFree("x")).isFalse();
        work.complete("done");
        assertThat(Await.result(returned.toCompletableFuture())).isEqualTo("done");
        assertThat(probe.isFree("x")).isTrue();

        assertThat(service.future(CompletableFuture.completedStage("at once")).toCompletableFuture())
                .isCompletedWithValue("at once");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void lock_ofStageWhoseEndCannotBeObserved_isReleasedWhenTheCallFails() {
        CompletableFuture<String> secretive = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                throw new UnsupportedOperationException("not to be observed");
            }
        };
        secretive.complete("done");
        assertThatThrownBy(() -> service.future(secretive)).hasMessage("not to be observed");
        assertThat(probe.isFree("x")).isTrue();
    }

    @Test
    void future_isCompletedAfterTheRelease() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<Boolean> free = service.future(work).thenApply(done -> probe.isFree("x"));
        work.complete("done");
        assertThat(Await.result(free.toCompletableFuture())).isTrue();
    }

    @Test
    void future_whenItsWorkIsCancelled_isCancelledAfterTheRelease() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> returned = service.future(work).toCompletableFuture();
        CompletionStage<Boolean> free = returned.handle((done, cancelled) -> probe.isFree("x"));
        work.cancel(true);
        assertThat(Await.result(free.toCompletableFuture())).isTrue();
        assertThat(returned.isCancelled()).isTrue();
    }

    @Test
    void future_whenItFailsOrLosesTheLease_failsAfterTheRelease() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> returned = service.future(work).toCompletableFuture();
        work.completeExceptionally(new IOException("of the work"));
        assertThatThrownBy(() -> Await.result(returned)).hasCauseExactlyInstanceOf(IOException.class);
        assertThat(probe.isFree("x")).isTrue();

        CompletableFuture<String> late = new CompletableFuture<>();
        CompletableFuture<String> lost = service.shortLivedFuture(late);
        Await.until("the lease is over", () -> probe.isFree("x"));
        late.complete("too late");
        assertThatThrownBy(() -> Await.result(lost)).hasCauseExactlyInstanceOf(LockLostException.class);
    }

    @Test
    void currentLease_ofNestedCalls_isRestored() throws Exception {
        assertThatThrownBy(CurrentLease::get)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining(Thread.currentThread().getName());
        service.call(() -> {
            Lease outer = CurrentLease.get();
            service.soonOf("inner", () -> {
                assertThat(CurrentLease.names()).containsExactly("inner");
                assertThat(CurrentLease.get("x").fencingToken()).isEqualTo(outer.fencingToken());
                return null;
            });
            assertThat(CurrentLease.names()).containsExactly("x");
            assertThat(CurrentLease.get().fencingToken()).isEqualTo(outer.fencingToken());
            assertThatThrownBy(outer::release).isInstanceOf(UnsupportedOperationException.class);
            outer.close();
            assertThat(outer.isHeld()).isTrue();
            assertThatThrownBy(() -> CurrentLease.get("other")).hasMessageContaining("'other'");
            return null;
        });
        assertThatThrownBy(() -> service.both(CurrentLease::get))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("[x, y]");
        assertThat(CurrentLease.optional()).isEmpty();
    }

    @Test
    void call_onTheSameObject_runsWithoutTheLock() {
        assertThat(service.selfInvoking()).isEmpty();
    }

    @Test
    void options_ofTheAnnotation_reachTheLock() {
        service.keptBusy();
        assertThat(probe.isFree("kept")).isFalse();
    }

    static class Service {

        @Autowired
        @Lazy
        Service self;

        @Locked("x")
        <T> T call(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked({"x", "y"})
        <T> T both(Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "#{#name}", acquireTimeout = "0s")
        <T> T soonOf(String name, Callable<T> body) throws Exception {
            return body.call();
        }

        @Locked(value = "x", acquireTimeout = "PT0.001S")
        void soon() {}

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        String skippedObject() {
            return "done";
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP, acquireTimeout = "1ms")
        Optional<String> skippedOptional() {
            return Optional.of("done");
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        OptionalInt skippedOptionalInt() {
            return OptionalInt.of(1);
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        void skippedVoid() {
            throw new AssertionError("the body ran");
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        CompletableFuture<String> skippedFuture() {
            throw new AssertionError("the body ran");
        }

        @Locked(value = "x", onBusy = OnBusy.SKIP)
        CompletableFuture<Optional<String>> skippedFutureOfOptional() {
            throw new AssertionError("the body ran");
        }

        @Locked(
                value = {"y", "x"},
                onBusy = OnBusy.SKIP)
        List<String> skippedSeveral() {
            return CurrentLease.names();
        }

        @Locked("x")
        void undeclared() {}

        @Locked("x")
        void declared() throws InterruptedException {}

        @Locked(value = "x", fixedLease = "100ms")
        void shortLived(Callable<?> body) throws Exception {
            Await.until("the lease is lost", () -> CurrentLease.get().state() == LeaseState.LOST);
            body.call();
        }

        @Locked("x")
        CompletionStage<String> future(CompletionStage<String> work) {
            return work;
        }

        @Locked(value = "x", fixedLease = "100ms")
        CompletableFuture<String> shortLivedFuture(CompletableFuture<String> work) {
            return work;
        }

        @Locked(value = "kept", minimumHold = "10m")
        void keptBusy() {}

        List<String> selfInvoking() {
            return inner();
        }

        @Locked("x")
        List<String> inner() {
            return CurrentLease.names();
        }
    }
}
