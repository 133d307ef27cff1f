package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import dev.holdfast.lock.testing.Unprintable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A {@link LeaseGroup} that loses one lease is lost as a whole, which is reported once. */
@Execution(ExecutionMode.CONCURRENT)
class LeaseGroupLossTest extends LeaseGroups {

    private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void group_whenOneLeaseIsLost_isLostAndReleasesTheOthers() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(loss -> {
            throw new IllegalStateException("a listener of the test fails on purpose");
        });
        group.onLost(losses::add);
        try (StandardError printed = StandardError.listen()) {
            lose("b");
            Await.until("the loss is reported", () -> !losses.isEmpty());
            assertThat(printed.lines()).anyMatch(line -> line.contains("GroupLease - a loss listener of a group"));
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
    void loss_ofWhichAListenerThrowsWhatCannotBeLogged_isToldToTheOthers() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(loss -> {
            throw new Unprintable();
        });
        group.onLost(losses::add);
        lose("b");
        Await.until("the loss is reported", () -> !losses.isEmpty());
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void group_whenItsLeasesAreLost_isLogged() throws Exception {
        try (StandardError printed = StandardError.listen()) {
            LeaseGroup group = locks.acquireAll(List.of("logged b", "logged a"), LONG);
            lose("logged b", "logged a");
            String of = "the group of the leases of 'logged b', 'logged a' is lost with the one of 'logged ";
            Await.until("the loss is logged", () -> printed.lines().anyMatch(line -> line.contains(of)));
            assertThat(group.isHeld()).isFalse();
            assertThat(printed.lines().filter(line -> line.contains(of)))
                    .first()
                    .asString()
                    .contains("WARN dev.holdfast.lock.leases - ", "the work of the group must stop");
        }
    }

    @Test
    void onLost_registeredAfterTheLoss_isCalledAtOnce() throws Exception {
        LeaseGroup group = held(locks);
        group.onLost(losses::add);
        lose("b");
        Await.until("the loss is reported", () -> !losses.isEmpty());

        List<LockLostException> atOnce = new ArrayList<>();
        group.onLost(atOnce::add);
        assertThat(atOnce).containsExactlyElementsOf(losses);
    }

    @Test
    void lossListener_ofWhichOneCallIsForgotten_isCalledForTheOther() throws Exception {
        LeaseGroup group = held(locks);
        List<LockLostException> remaining = new CopyOnWriteArrayList<>();
        Lease.LossListener listener = remaining::add;
        group.onLost(listener);
        group.onLost(listener);
        group.removeLossListener(listener);
        group.onLost(losses::add);
        lose("b");
        Await.until("the loss is reported to the last listener", () -> !losses.isEmpty());
        assertThat(remaining).hasSize(1);
    }

    @Test
    void onLost_whenManyLeasesAreLost_isCalledOnce() throws Exception {
        String[] many = IntStream.range(0, 20).mapToObj(i -> "many " + i).toArray(String[]::new);
        CountDownLatch hanging = store.holdUpReleases(many);
        try {
            LeaseGroup group = locks.acquireAll(List.of(many), Duration.ofSeconds(Await.SECONDS));
            group.onLost(losses::add);
            lose(many);

            Await.until("the loss is reported", () -> !losses.isEmpty());
        } finally {
            hanging.countDown();
        }
        time.settle(); // all are released
        assertThat(losses).hasSize(1);
    }

    @Test
    void onLost_whenALeaseIsLostDuringTheRelease_isNotCalled() throws Exception {
        CountDownLatch hanging = store.holdUpReleases("c");
        AtomicInteger members = countLosses();
        try {
            LeaseGroup group = held(locks);
            group.onLost(losses::add);
            Future<Boolean> released = ann.beginsToCall(group::release);
            Await.until("the release of c hangs", () -> store.releases("c") > 0);
            lose("a");
            Await.until("a is lost", () -> members.get() > 0);

            assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
            hanging.countDown();
            assertThat(Person.result(released)).as("all were still held").isFalse();
            assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
            assertThat(losses).isEmpty();
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void loss_whenAListenerHangs_releasesTheOthers() throws Exception {
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
    void onLost_whenTheReleaseOfTheOthersHangs_isCalled() throws Exception {
        CountDownLatch hanging = store.holdUpReleases("a");
        try {
            LeaseGroup group = held(locks);
            group.onLost(losses::add);
            lose("b");
            Await.until("the release of a hangs", () -> store.releases("a") > 0);

            Await.until("the loss is reported", () -> !losses.isEmpty());
            assertThat(group.state()).isEqualTo(LeaseState.LOST);
        } finally {
            hanging.countDown();
        }
    }

    /** Ends these leases at the store, and lets the engine notice. */
    private void lose(String... names) {
        Stream.of(names).forEach(store::end);
        time.pass(RENEWAL);
    }

    private AtomicInteger countLosses() {
        AtomicInteger count = new AtomicInteger();
        locks.addListener(new LockListener() {
            @Override
            public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
                count.incrementAndGet();
            }
        });
        return count;
    }
}
