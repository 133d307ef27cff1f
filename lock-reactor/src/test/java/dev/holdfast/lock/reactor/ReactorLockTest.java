package dev.holdfast.lock.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.locks.WatchedStore;
import dev.holdfast.lock.testing.Await;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The lock while a publisher runs under it, and afterwards. */
@Timeout(180)
class ReactorLockTest {

    private final WatchedStore store = new WatchedStore(InstantSource.system());
    private final Locks locks = Locks.open(store, new Properties());
    private final DistributedLock lock = locks.named("job");
    private final ReactorLock reactive = ReactorLock.of(lock);

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void withLock_whileTheBodyRuns_holdsTheLockOnAnyThread() {
        List<Boolean> busy = new CopyOnWriteArrayList<>();
        String result = reactive.withLock(lease -> Mono.fromCallable(() -> busy.add(isBusy()))
                        .publishOn(Schedulers.parallel())
                        .map(added -> busy.add(isBusy()))
                        .publishOn(Schedulers.boundedElastic())
                        .map(added -> lease.state() + " on another thread: " + isBusy()))
                .block();
        assertThat(result).isEqualTo("HELD on another thread: true");
        assertThat(busy).containsExactly(true, true);
        assertThat(isBusy()).isFalse();
    }

    /** The locks may be held for months, as those of a leader. */
    @Test
    void whileHeld_onceItHasEnded_isForgottenByTheLocks() throws Exception {
        try (Lease lease = lock.acquire()) {
            WeakReference<Object> result = resultOf(lease);
            Await.until("the result is collected", () -> {
                System.gc();
                return result.refersTo(null);
            });
            assertThat(lease.isHeld()).isTrue();
        }
    }

    private static WeakReference<Object> resultOf(Lease lease) {
        return new WeakReference<>(
                ReactorLock.whileHeld(lease, Mono.fromSupplier(Object::new)).block());
    }

    @Test
    void withLock_subscribedToTwice_acquiresForEach() {
        Mono<Long> token = reactive.withLock(lease -> Mono.just(lease.fencingToken()));
        assertThat(store.acquires("job")).isEmpty();

        long first = token.block();
        assertThat(token.block()).isGreaterThan(first);
        assertThat(store.acquires("job")).hasSize(2);
    }

    @Test
    void withLock_whenTheBodyFails_releasesAndFailsWithTheSameError() {
        IllegalStateException failure = new IllegalStateException("no");
        assertThatThrownBy(() -> reactive.withLock(lease -> Mono.error(failure)).block())
                .isSameAs(failure);
        assertThat(isBusy()).isFalse();
        assertThatThrownBy(() -> reactive.withLock(lease -> {
                            throw failure;
                        })
                        .block())
                .isSameAs(failure);
        assertThat(isBusy()).isFalse();
    }

    /** Reactor throws errors of the JVM and of class loading at whatever emits, and tells no subscriber. */
    @ParameterizedTest
    @MethodSource("fatal")
    void withLock_whenTheBodyThrowsAnErrorThatReactorThrowsOn_releasesAndFailsWithIt(Error fatal) {
        List<Publisher<?>> results = List.of(
                reactive.withLock(lease -> Mono.fromCallable(() -> thrown(fatal))),
                reactive.withLock(lease -> Mono.defer(() -> thrown(fatal))),
                reactive.withLock(lease -> Mono.just(1).map(one -> thrown(fatal))),
                reactive.withLockMany(lease -> Flux.range(1, 3).map(number -> thrown(fatal))),
                reactive.withLockMany(lease -> Flux.range(1, 3)).map(number -> thrown(fatal)));
        for (Publisher<?> result : results) {
            assertThatThrownBy(() -> Await.result(Flux.from(result).last().toFuture()))
                    .hasRootCause(fatal);
            assertThat(isBusy()).isFalse();
        }
    }

    static Stream<Error> fatal() {
        return Stream.of(
                new NoClassDefFoundError("on purpose"),
                new StackOverflowError("on purpose"),
                new OutOfMemoryError("on purpose"));
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // it never returns
    private static <T> T thrown(Error error) {
        throw error;
    }

    @Test
    void withLock_ofAnEmptyBody_completesEmptyAfterTheRelease() {
        assertThat(reactive.withLock(lease -> Mono.empty()).blockOptional()).isEmpty();
        assertThat(isBusy()).isFalse();
    }

    @Test
    void withLockMany_ofThreeElements_holdsTheLockUntilTheLast() {
        List<String> seen = reactive.withLockMany(lease -> Flux.range(1, 3))
                .map(number -> number + (isBusy() ? " held" : " free"))
                .collectList()
                .block();
        assertThat(seen).containsExactly("1 held", "2 held", "3 held");
        assertThat(isBusy()).isFalse();
    }

    @Test
    void withLockMany_whenTheSubscriberTakesOne_releases() {
        assertThat(reactive.withLockMany(lease -> Flux.just(1, 2)).take(1).blockLast())
                .isEqualTo(1);
        Await.until("the lock is free", () -> !isBusy());
    }

    @Test
    void withLock_whenBusyForTheWholeWait_failsWithoutCallingTheBody() {
        try (Lease held = lock.tryAcquire().orElseThrow()) {
            assertThatThrownBy(() -> reactive.withLock(Duration.ZERO, lease -> {
                                throw new AssertionError("the body ran under " + held);
                            })
                            .block())
                    .isInstanceOf(LockTimeoutException.class);
            assertThatThrownBy(() -> reactive.acquire(Duration.ZERO).block()).isInstanceOf(LockTimeoutException.class);
        }
    }

    @Test
    void withLock_whenTheStoreDoesNotAnswer_failsAsUnavailable() {
        store.cut("job");
        assertThatThrownBy(() ->
                        reactive.withLock(Duration.ZERO, lease -> Mono.just(1)).block())
                .isInstanceOf(LockUnavailableException.class);
    }

    @Test
    void withLock_whileTheReleaseIsNotAnswered_emitsNothing() throws Exception {
        CompletableFuture<String> result = reactive.withLock(lease -> {
                    store.cut("job");
                    return Mono.just("done");
                })
                .toFuture();
        Await.until("the release is repeated", () -> store.releases("job") > 1);
        assertThat(result).isNotDone();

        store.heal("job");
        assertThat(Await.result(result)).isEqualTo("done");
    }

    @Test
    void withLock_whenTheReleaseIsNeverAnswered_emitsTheResultOfTheBody() throws Exception {
        CompletableFuture<String> result = reactive.withLock(lease -> {
                    store.cut("job");
                    return Mono.just("done");
                })
                .toFuture();
        Await.until("the release is sent", () -> store.releases("job") > 0);
        locks.close(); // gives up on the release
        assertThat(Await.result(result)).isEqualTo("done");
    }

    @Test
    void withLock_onceTheLocksAreClosed_fails() {
        locks.close();
        assertThatThrownBy(() -> reactive.withLock(lease -> Mono.just(1)).block())
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void withLock_whenCancelledWhileQueued_neverOwnsTheLock() throws Exception {
        CompletableFuture<Lease> received = new CompletableFuture<>();
        try (Lease held = lock.acquire()) {
            Disposable waiting = reactive.withLock(lease -> {
                        received.complete(lease);
                        return Mono.just(1);
                    })
                    .subscribe();
            waiting.dispose();
            assertThat(held.isHeld()).isTrue();
        }
        lock.acquire().close();
        assertThat(received).isNotDone();
    }

    @Test
    void withLock_whenTheLeaseIsLost_cancelsTheBodyAndFails() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        CompletableFuture<Lease> received = new CompletableFuture<>();
        CompletableFuture<Object> result = fixed().withLock(lease -> {
                    received.complete(lease);
                    return Mono.never().doOnCancel(cancelled::countDown);
                })
                .toFuture();
        lose(Await.result(received));

        Await.opened(cancelled);
        assertThatThrownBy(() -> Await.result(result)).hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void withLock_whenTheLeaseIsLostAndTheBodyStillCompletes_fails() {
        assertThatThrownBy(() -> fixed().withLock(lease -> Mono.fromCallable(() -> {
                            lose(lease);
                            return "done";
                        }))
                        .block())
                .isInstanceOf(LockLostException.class);
    }

    @Test
    void withLockMany_whenTheLeaseIsLostBetweenElements_emitsNoMoreAndFails() {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        assertThatThrownBy(() -> fixed().withLockMany(lease -> Flux.concat(
                                Flux.just(1, 2), Mono.<Integer>fromRunnable(() -> lose(lease)), Flux.never()))
                        .doOnNext(seen::add)
                        .blockLast())
                .isInstanceOf(LockLostException.class);
        assertThat(seen).containsExactly(1, 2);
    }

    @Test
    void withLockMany_whenTheLeaseIsLostBeforeTheLastElement_fails() {
        assertThatThrownBy(() -> fixed().withLockMany(
                                lease -> Mono.fromRunnable(() -> lose(lease)).thenMany(Flux.just(1)))
                        .blockLast())
                .isInstanceOf(LockLostException.class);
    }

    @Test
    void withLock_ofReaders_runsBesideAReaderButNotBesideAWriter() {
        ReactorLock readers = ReactorLock.of(lock.shared());
        String result = readers.withLock(outer -> readers.withLock(Duration.ZERO, inner -> Mono.just("both")))
                .block();
        assertThat(result).isEqualTo("both");
        assertThatThrownBy(() -> readers.withLock(
                                lease -> reactive.withLock(Duration.ZERO, writer -> Mono.just("both")))
                        .block())
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void withLock_ofPermits_runsUpToTheLimitAtOnce() {
        ReactorLock two = ReactorLock.of(locks.semaphore("gpu", 3).permits(2));
        ReactorLock one = ReactorLock.of(locks.semaphore("gpu", 3).permits(1));
        assertThat(two.withLock(lease -> one.withLock(Duration.ZERO, inner -> Mono.just("fits")))
                        .block())
                .isEqualTo("fits");
        assertThatThrownBy(() -> two.withLock(lease -> two.withLock(Duration.ZERO, inner -> Mono.just("fits")))
                        .block())
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void acquire_whenCancelledBeforeAnElementIsRequested_releasesTheGrant() throws Exception {
        CompletableFuture<Lease> received = new CompletableFuture<>();
        BaseSubscriber<Lease> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {} // requests nothing

            @Override
            protected void hookOnNext(Lease lease) {
                received.complete(lease);
            }
        };
        reactive.acquire().subscribe(subscriber);
        Await.until("the store has granted", this::isBusy);
        subscriber.cancel();

        lock.acquire().close();
        assertThat(received).isNotDone();
    }

    private ReactorLock fixed() {
        return ReactorLock.of(lock.withFixedLease(Duration.ofMinutes(1)));
    }

    /** The store ends the lease, and the process learns of it. */
    private void lose(Lease lease) {
        store.end("job");
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(1))).isInstanceOf(LockLostException.class);
    }

    private boolean isBusy() {
        return lock.tryAcquire().map(lease -> !lease.release()).orElse(true);
    }
}
