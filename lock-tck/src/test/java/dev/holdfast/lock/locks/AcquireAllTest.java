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
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.spi.Step;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link Locks#acquireAll}: all or none, in one order. */
@Execution(ExecutionMode.CONCURRENT)
class AcquireAllTest {

    private static final Duration LONG = Duration.ofSeconds(Await.SECONDS);

    private final WatchedStore store = new WatchedStore();
    private final Locks locks = Locks.open(store, new Properties());
    private final Locks elsewhere = Locks.open(store, new Properties());
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
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> locks.acquireAll(List.of("b", "a"), Duration.ofSeconds(5)))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.isHeld()).isTrue();
        }
        Await.until("what was waited by is undone", () -> isFree("b"));
    }

    @Test
    void theWaitIsForAllTogether() throws Exception {
        Pulse.steadily(Duration.ofMillis(500), pulse -> waitForAllTogether());
    }

    private void waitForAllTogether() throws Exception {
        Duration wait = Duration.ofSeconds(3);
        long slow = Duration.ofSeconds(1).toNanos();
        store.whenAskedFor("a", () -> {
            for (long end = System.nanoTime() + slow; end - System.nanoTime() > 0; ) {
                LockSupport.parkNanos(slow);
            }
        });
        CompletableFuture<Duration> waitedForTheSecond = new CompletableFuture<>();
        locks.addListener(new LockListener() {
            @Override
            public void gaveUp(String name, Duration waited) {
                waitedForTheSecond.complete(waited);
            }
        });
        try (Lease busy = elsewhere.named("b").acquire()) {
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> locks.acquireAll(List.of("a", "b"), wait))
                    .withMessageContaining("'b' was busy to the end of the wait of 3s");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(Person.result(waitedForTheSecond)).isLessThan(wait);
    }

    @Test
    void anOutageIsNoTimeout() {
        store.cut("b");

        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> locks.acquireAll(List.of("a", "b"), Duration.ofSeconds(3)))
                .withMessageContaining("'b'");
        Await.until("a is released", () -> isFree("a"));
    }

    @Test
    void anInterruptEndsItAndNothingIsHeldLater() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = ann.beginsToAnswer(() -> locks.acquireAll(List.of("a", "b"), LONG));
            Await.until("a is had", () -> store.isGranted("a"));
            ann.awaitWaiting();
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
        try (Locks shortLived = Locks.open(store, lease("9s"));
                Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = ann.beginsToAnswer(
                    () -> shortLived.acquireAll(List.of("a", "b"), ChronoUnit.FOREVER.getDuration()));
            Await.until("a is had", () -> store.isGranted("a"));
            ann.awaitWaiting();
            store.end("a");

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
            Future<LeaseGroup> waiting = ann.beginsToAnswer(() -> locks.acquireAll(List.of("a", "b"), LONG));
            Await.until("a is had", () -> store.isGranted("a"));
            ann.awaitWaiting();
            locks.close();

            assertThatThrownBy(() -> Person.result(waiting)).isExactlyInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> locks.acquireAll(List.of("c"), LONG))
                    .isExactlyInstanceOf(IllegalStateException.class);
            assertThat(isFree("a")).isTrue();
            assertThat(busy.isHeld()).isTrue();
        }
    }

    @Test
    void oppositeOrdersNeverWaitForEachOther() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        try (Person bob = new Person("bob")) {
            Future<?> one = ann.begins(() -> transfer(locks, List.of("a", "b", "c"), inside));
            Future<?> other = bob.begins(() -> transfer(elsewhere, List.of("c", "b", "a"), inside));
            transfer(locks, List.of("b", "c", "a"), inside);
            Person.result(one);
            Person.result(other);
        }
    }

    private static void transfer(Locks locks, List<String> names, AtomicInteger inside) throws InterruptedException {
        for (int times = 0; times < 100; times++) {
            try (LeaseGroup group = locks.acquireAll(names, LONG)) {
                assertThat(inside.incrementAndGet()).as("who is inside").isEqualTo(1);
                inside.decrementAndGet();
                group.ensureHeld();
            }
        }
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
