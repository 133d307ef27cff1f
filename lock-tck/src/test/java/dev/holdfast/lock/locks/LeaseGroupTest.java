package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.Opening;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** {@link LeaseGroup}: losing one loses all. */
@Execution(ExecutionMode.CONCURRENT)
class LeaseGroupTest {

    private static final List<String> NAMES = List.of("b", "a", "c");
    private static final Duration RENEWAL = Duration.ofSeconds(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = Opening.store(store, lease("30s"), time, time);
    /** Of which no lease ends, however much time passes. */
    private final Locks elsewhere = Opening.store(store, lease("1d"), time, time);

    private final Person ann = new Person("ann");
    private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

    private static Properties lease(String length) {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", length);
        return properties;
    }

    @AfterEach
    void close() {
        ann.close();
        locks.close();
        elsewhere.close();
    }

    @Test
    void eachNameHasItsToken() throws Exception {
        NAMES.forEach(name -> store.whenAskedFor(name, () -> time.pass(Duration.ofMillis(1))));
        LeaseGroup first = held(locks);
        for (String name : NAMES) {
            assertThat(first.fencingToken(name)).isPositive();
        }
        first.close();
        LeaseGroup second = held(elsewhere);
        for (String name : NAMES) {
            assertThat(second.fencingToken(name)).isGreaterThan(first.fencingToken(name));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> second.fencingToken("d"))
                .withMessageContaining("'d'");
        assertThat(List.of(second.fencingToken("a"), second.fencingToken("b"), second.fencingToken("c")))
                .as("the tokens of different names, granted one after the other")
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void aReleasedGroupIsReleasedForGood() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(losses::add);
        assertThat(group.state()).isEqualTo(LeaseState.HELD);
        assertThat(group.remaining()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(30));
        assertThatCode(group::ensureHeld).doesNotThrowAnyException();

        assertThat(group.release()).isTrue();
        NAMES.forEach(name -> assertThat(Free.isFree(elsewhere, name)).isTrue());
        assertThat(group.release()).as("the second time").isFalse();
        group.close();

        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(group.isHeld()).isFalse();
        assertThat(group.remaining()).isZero();
        assertThatIllegalStateException().isThrownBy(group::ensureHeld);
        assertThat(NAMES).allMatch(name -> store.releases(name) == 1 + 1); // ours, and that of the look
        assertThat(losses).isEmpty();
    }

    @Test
    void closedLocksReleaseTheirGroups() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(losses::add);
        locks.close();

        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        assertThatIllegalStateException().isThrownBy(group::ensureHeld);
        assertThat(group.release()).isFalse();
        group.close();
        assertThat(losses).isEmpty();
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void losingOneLosesAll() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(loss -> {
            throw new IllegalStateException("a listener of the test fails on purpose");
        });
        group.onLost(losses::add);
        try (StandardError printed = StandardError.listen()) {
            lose("b");
            Await.until("the loss is told", () -> !losses.isEmpty());
            assertThat(printed.lines()).anyMatch(line -> line.endsWith("GroupLease - a listener failed"));
        }
        assertThat(group.state()).isEqualTo(LeaseState.LOST);
        assertThat(group.isHeld()).isFalse();
        assertThat(group.remaining()).isZero();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(group::ensureHeld)
                .withMessage(losses.get(0).getMessage())
                .withMessageContaining("'b'");
        Await.until("the others are released", () -> store.releases("a") > 0 && store.releases("c") > 0);

        assertThat(group.release()).isFalse();
        group.close();
        assertThat(group.state()).as("for good").isEqualTo(LeaseState.LOST);
    }

    @Test
    void whoAsksAfterTheLossIsToldAtOnce() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(losses::add);
        lose("b");
        Await.until("the loss is told", () -> !losses.isEmpty());

        List<LockLostException> atOnce = new ArrayList<>();
        group.onLost(atOnce::add);
        assertThat(atOnce).containsExactlyElementsOf(losses);
    }

    @Test
    void aLossIsToldOnceHoweverManyAreLost() throws Exception {
        // More than are released at a time: the rest waits for its release, and is lost meanwhile.
        String[] many = IntStream.range(0, 20).mapToObj(i -> "many " + i).toArray(String[]::new);
        CountDownLatch hanging = store.holdUpReleases(many);
        AtomicInteger members = countLosses();
        try {
            LeaseGroup group = locks.acquireAll(List.of(many), Duration.ofSeconds(Await.SECONDS));
            group.onLost(losses::add);
            lose(many);

            Await.until("several are lost", () -> members.get() > 5);
            Await.until("the loss is told", () -> !losses.isEmpty());
            assertThat(losses).hasSize(1);
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void aLossDuringTheReleaseIsNotToldAnyMore() throws Exception {
        CountDownLatch hanging = store.holdUpReleases("c");
        AtomicInteger members = countLosses();
        try {
            LeaseGroup group = held(locks);
            group.onLost(losses::add);
            Future<Boolean> released = ann.beginsToAnswer(group::release);
            Await.until("the release of c hangs", () -> store.releases("c") > 0);
            lose("a");
            Await.until("a is lost", () -> members.get() > 0);

            assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
            hanging.countDown();
            assertThat(Person.result(released))
                    .as("whether all were still held")
                    .isFalse();
            assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
            assertThat(losses).isEmpty();
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void theOthersAreReleasedThoughAListenerHangs() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        LeaseGroup group = held(locks);
        group.onLost(loss -> Await.opened(hanging));
        lose("b");
        try {
            Await.until("the others are released", () -> store.releases("a") > 0 && store.releases("c") > 0);
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void aLossIsToldThoughTheReleaseOfTheOthersHangs() throws Exception {
        CountDownLatch hanging = store.holdUpReleases("a");
        try {
            LeaseGroup group = held(locks);
            group.onLost(losses::add);
            lose("b");
            Await.until("the release of a hangs", () -> store.releases("a") > 0);

            Await.until("the loss is told", () -> !losses.isEmpty());
            assertThat(group.state()).isEqualTo(LeaseState.LOST);
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void aLossThatNobodyNoticedIsLearntAtTheRelease() throws Exception {
        LeaseGroup group = held(locks);
        store.end("b");

        assertThat(group.release()).isFalse();
        NAMES.forEach(name -> assertThat(Free.isFree(elsewhere, name)).isTrue());
    }

    @Test
    void anUnansweredReleaseKeepsNoneOfTheOthersHeld() throws Exception {
        LeaseGroup group = held(elsewhere);
        store.cut("c");

        Future<Boolean> released = ann.beginsToAnswer(group::release);
        time.passUntil("the release gives up", released::isDone);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> Person.result(released))
                .withMessageContaining("'c'");
        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        Await.until("the others are free", () -> Free.isFree(locks, "a") && Free.isFree(locks, "b"));
        assertThat(group.release()).isFalse();
        store.heal("c");
        time.passUntil("it is repeated", () -> Free.isFree(locks, "c"));
    }

    @Test
    void closeNeverThrows() throws Exception {
        LeaseGroup group = held(elsewhere);
        store.cut("b");

        Future<?> closed = ann.begins(group::close);
        time.passUntil("the close gives up", closed::isDone);
        assertThatCode(() -> Person.result(closed)).doesNotThrowAnyException();
        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        Await.until("the others are free", () -> Free.isFree(locks, "a") && Free.isFree(locks, "c"));
    }

    @Test
    void theGroupStandsAsItsWorstMember() throws Exception {
        LeaseGroup group = held(locks);
        store.cut("b");
        time.pass(RENEWAL);

        Await.until("it is in doubt", () -> group.state() == LeaseState.UNCONFIRMED);
        time.pass(Duration.ofSeconds(19));
        assertThatCode(group::ensureHeld).doesNotThrowAnyException();
        assertThat(group.remaining()).as("no longer than what is cut off").isBetween(Duration.ofNanos(1), SECOND);
        time.pass(SECOND);
        assertThat(group.state()).isEqualTo(LeaseState.LOST);
        store.heal("b");
    }

    /** Ends these leases at the store, and lets the engine notice. */
    private void lose(String... names) {
        Stream.of(names).forEach(store::end);
        time.pass(RENEWAL);
    }

    private AtomicInteger countLosses() {
        AtomicInteger told = new AtomicInteger();
        locks.addListener(new LockListener() {
            @Override
            public void lost(String name, long fencingToken, LockLostException loss) {
                told.incrementAndGet();
            }
        });
        return told;
    }

    private static LeaseGroup held(Locks locks) throws InterruptedException {
        return locks.acquireAll(NAMES, Duration.ofSeconds(Await.SECONDS));
    }
}
