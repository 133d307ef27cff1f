package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.Opening;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link Locks#acquireAll}: all or none, in one order. */
@Execution(ExecutionMode.CONCURRENT)
class AcquireAllTest {

    private static final Duration RENEWAL = Duration.ofSeconds(10);
    private static final Duration LONG = Duration.ofSeconds(Await.SECONDS);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = Opening.store(store, lease("30s"), time, time);
    /** Of which no lease ends, however much time passes. */
    private final Locks elsewhere = Opening.store(store, lease("1d"), time, time);

    private final Person ann = new Person("ann");

    @AfterEach
    void close() {
        ann.close();
        locks.close();
        elsewhere.close();
    }

    @Test
    void allAreHeldUntilTheGroupIsClosed() throws Exception {
        LeaseGroup group = locks.acquireAll(List.of("b", "c", "a"), ChronoUnit.FOREVER.getDuration());

        assertThat(group.names()).as("as given").containsExactly("b", "c", "a");
        assertThat(group.isHeld()).isTrue();
        Stream.of("a", "b", "c").forEach(name -> assertThat(isFree(name)).isFalse());
        group.close();
        Stream.of("a", "b", "c").forEach(name -> assertThat(isFree(name)).isTrue());
    }

    /** On a JDK whose futures complete there; others start a thread for each on a machine with few cores. */
    @Test
    void whatTheApplicationDoesInTheCommonPoolDoesNotHoldItUp() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2 * ForkJoinPool.getCommonPoolParallelism() + 2; i++) {
            ForkJoinPool.commonPool().execute(() -> awaitTheEnd(end));
        }
        try {
            ann.does(() -> locks.acquireAll(List.of("a", "b"), LONG));
        } finally {
            end.countDown();
        }
        assertThat(isFree("b")).isFalse();
    }

    @Test
    void namesAreAskedForInTheOrderOfTheirCodeUnits() throws Exception {
        String beyondTheBasicPlane = "\uD83D\uDD12";
        List<String> inOrder = List.of("A", "B", "a", "a ", "ab", "\u00E4", beyondTheBasicPlane, "\uFFFD");
        List<String> backwards = new ArrayList<>(inOrder);
        Collections.reverse(backwards);

        locks.acquireAll(backwards, Duration.ZERO).close();

        assertThat(store.acquires().map(asked -> asked.step().name().value())).containsExactlyElementsOf(inOrder);
    }

    @Test
    void nothingIsAskedWhenSomethingIsWrongWithTheNames() {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.acquireAll(List.of(), LONG));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquireAll(List.of("a", "twice", "twice"), LONG))
                .withMessageContaining("'twice'");
        assertThatIllegalArgumentException().isThrownBy(() -> locks.acquireAll(List.of("a", ""), LONG));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquireAll(List.of("a"), Duration.ofNanos(-1)))
                .withMessageContaining("wait");
        assertThatNullPointerException().isThrownBy(() -> locks.acquireAll(null, LONG));
        assertThatNullPointerException().isThrownBy(() -> locks.acquireAll(Arrays.asList("a", null), LONG));
        assertThatNullPointerException().isThrownBy(() -> locks.acquireAll(List.of("a"), null));
        assertThat(store.acquires()).isEmpty();
    }

    @Test
    void withNoWaitEachIsAskedOnce() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> locks.acquireAll(List.of("c", "b", "a"), Duration.ZERO))
                    .withMessageContaining("'b'");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(store.acquires().skip(1).map(asked -> ((Step.Acquire) asked.step()).queue()))
                .containsExactly(false, false);
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void whatWasAcquiredIsReleasedWhenTheWaitIsOver() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(Duration.ofSeconds(4));
            time.pass(Duration.ofSeconds(4));

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.isHeld()).isTrue();
        }
        Await.until("what was waited by is undone", () -> isFree("b"));
    }

    @Test
    void theWaitIsForAllTogether() throws Exception {
        store.whenAskedFor("a", () -> time.pass(Duration.ofSeconds(1)));
        CompletableFuture<Duration> waitedForTheSecond = new CompletableFuture<>();
        locks.addListener(new LockListener() {
            @Override
            public void gaveUp(String name, Duration waited) {
                waitedForTheSecond.complete(waited);
            }
        });
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(Duration.ofSeconds(3));
            time.pass(Duration.ofSeconds(2));
            time.passUntil("it gives up, at the latest now", waiting::isDone);

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b' was busy to the end of the wait of 3s");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(Person.result(waitedForTheSecond)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void anOutageIsNoTimeout() throws Exception {
        store.cut("b");

        Future<LeaseGroup> asking =
                ann.beginsToAnswer(() -> locks.acquireAll(List.of("a", "b"), Duration.ofSeconds(3)));
        time.passUntil("it gives up", asking::isDone);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> Person.result(asking))
                .withMessageContaining("'b'");
        Await.until("a is released", () -> isFree("a"));
    }

    @Test
    void anInterruptEndsItAndNothingIsHeldLater() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(LONG);
            ann.interrupt();

            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.release()).isTrue();
            Await.until("what was waited by is undone", () -> isFree("b"));
        }
    }

    @Test
    void anInterruptBeforeItKeepsItFromAsking() throws Exception {
        ann.does(() -> {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> locks.acquireAll(List.of("a"), Duration.ZERO));
        });
        assertThat(store.acquires()).isEmpty();
    }

    @Test
    void aLossMeanwhileEndsItAtOnce() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(ChronoUnit.FOREVER.getDuration());
            store.end("a");
            time.pass(RENEWAL);

            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'a'");
            assertThat(busy.release()).as("held by another all the while").isTrue();
            Await.until("what was waited by is undone", () -> isFree("b"));
        }
    }

    @Test
    void closedLocksAcquireNothing() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(LONG);
            locks.close();

            assertThatThrownBy(() -> Person.result(waiting)).isExactlyInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> locks.acquireAll(List.of("c"), LONG))
                    .isExactlyInstanceOf(IllegalStateException.class);
            assertThat(isFree("a")).isTrue();
            assertThat(busy.isHeld()).isTrue();
        }
    }

    /**
     * Begins to acquire a and b, and has a; b is held by another. As an engine begins to listen, it asks a second time, and when
     * that is answered, it is to ask again later: until then a silent store and a busy lock look the same.
     */
    private Future<LeaseGroup> beginsToWaitForB(Duration wait) {
        Future<LeaseGroup> waiting = ann.beginsToAnswer(() -> locks.acquireAll(List.of("b", "a"), wait));
        Await.until("it waits for b", () -> store.acquires("b").count() == 1 + 2 && time.isSet(QueueTimes.REFRESH));
        ann.awaitWaiting();
        return waiting;
    }

    private static Properties lease(String length) {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", length);
        return properties;
    }

    private boolean isFree(String name) {
        return Free.isFree(elsewhere, name);
    }

    private static void awaitTheEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
