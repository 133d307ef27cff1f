package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.internal.time.Threads;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link LeaseGroup}: each name has a token, the worst lease decides the state, and all are released together. */
@Execution(ExecutionMode.CONCURRENT)
class LeaseGroupTest extends LeaseGroups {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

    @Test
    void fencingToken_ofEachName_isItsOwnAndIncreases() throws Exception {
        NAMES.forEach(name -> store.beforeAcquire(name, () -> time.pass(Duration.ofMillis(1))));
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
                .as("the tokens of different names, granted in this order")
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void group_afterRelease_staysReleased() throws Exception {
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
        assertThat(NAMES).allMatch(name -> store.releases(name) == 1 + 1); // that of the group, and that of isFree
        assertThat(losses).isEmpty();
    }

    @Test
    void group_whenLocksAreClosed_isReleased() throws Exception {
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
    void release_afterAnUnnoticedLoss_returnsFalse() throws Exception {
        LeaseGroup group = held(locks);
        store.end("b");

        assertThat(group.release()).isFalse();
        NAMES.forEach(name -> assertThat(Free.isFree(elsewhere, name)).isTrue());
    }

    @Test
    void release_whenOneNameIsCutOff_isUnavailableAndReleasesTheOthers() throws Exception {
        LeaseGroup group = held(elsewhere);
        store.cut("c");

        Future<Boolean> released = ann.beginsToCall(group::release);
        time.passUntil("the release gives up", released::isDone);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> Person.result(released))
                .withMessageContaining("'c'");
        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        Await.until("the others are free", () -> Free.isFree(locks, "a") && Free.isFree(locks, "b"));
        assertThat(group.release()).isFalse();
        store.heal("c");
        time.passUntil("the release is retried", () -> Free.isFree(locks, "c"));
    }

    @ParameterizedTest
    @EnumSource
    void release_ofWhichOneThrowsAnError_releasesTheOthers(Way way) throws Exception {
        LeaseGroup group = held(elsewhere);
        store.failCalls(1);

        assertThatThrownBy(() -> way.end(group)).isInstanceOf(OutOfMemoryError.class);
        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        for (String name : NAMES) {
            time.passUntil("'" + name + "' is free", () -> Free.isFree(locks, name));
        }
    }

    private enum Way {
        RELEASE {
            @Override
            void end(LeaseGroup group) {
                group.release();
            }
        },
        CLOSE {
            @Override
            void end(LeaseGroup group) {
                group.close();
            }
        };

        abstract void end(LeaseGroup group);
    }

    @Test
    void releaseAsync_ofWhichOneThrowsAnError_releasesTheOthers() throws Exception {
        AtomicBoolean hasThrown = new AtomicBoolean();
        while (!hasThrown.get()) { // where another thread sets the timer just then, no release needs one
            releaseWithoutTimers(hasThrown);
        }
    }

    private void releaseWithoutTimers(AtomicBoolean hasThrown) throws Exception {
        AtomicReference<Thread> without = new AtomicReference<>();
        Threads threads = new ForwardingThreads() {
            @Override
            public Timer after(Duration delay, Runnable task) {
                if (without.get() == Thread.currentThread()) {
                    hasThrown.set(true);
                    throw new InternalError("no timer is to be had, on purpose");
                }
                return super.after(delay, task);
            }
        };
        try (Locks own = DefaultLocks.open(
                LockConfiguration.of(new WatchedStore(time), new Properties()), time, () -> threads)) {
            LeaseGroup group = held(own);
            without.set(Thread.currentThread());
            CompletableFuture<Boolean> released = group.releaseAsync();
            without.set(null);

            Await.until("the release has ended", released::isDone);
            assertThat(released.isCompletedExceptionally()).isEqualTo(hasThrown.get());
            assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
            for (String name : NAMES) {
                Await.until("'" + name + "' is free", () -> Free.isFree(own, name));
            }
        }
    }

    /** Such as the factory of an application's pool. */
    @Test
    void acquireAll_onAPoolThatCannotWait_leavesNoLockHeld() throws Exception {
        AtomicInteger workers = new AtomicInteger();
        ForkJoinPool pool = new ForkJoinPool(
                1,
                same -> {
                    if (workers.incrementAndGet() > 1) {
                        throw new IllegalStateException("one thread is enough, on purpose");
                    }
                    return ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(same);
                },
                null,
                false);
        try (Lease busy = elsewhere.named("b").acquire()) {
            ForkJoinTask<LeaseGroup> acquiring = pool.submit(() -> held(locks));
            assertThatThrownBy(() -> acquiring.get(Await.SECONDS, TimeUnit.SECONDS))
                    .hasRootCauseMessage("one thread is enough, on purpose");
            assertThat(busy.isHeld()).isTrue();
        } finally {
            pool.shutdown();
        }
        for (String name : NAMES) {
            time.passUntil("'" + name + "' is free", () -> Free.isFree(elsewhere, name));
        }
    }

    @Test
    void close_whenOneNameIsCutOff_doesNotThrow() throws Exception {
        LeaseGroup group = held(elsewhere);
        store.cut("b");

        Future<?> closed = ann.begins(group::close);
        time.passUntil("the close gives up", closed::isDone);
        assertThatCode(() -> Person.result(closed)).doesNotThrowAnyException();
        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        Await.until("the others are free", () -> Free.isFree(locks, "a") && Free.isFree(locks, "c"));
    }

    @Test
    void state_whenOneLeaseIsUnconfirmed_followsTheWorstLease() throws Exception {
        LeaseGroup group = held(locks);
        store.cut("b");
        time.pass(RENEWAL);

        Await.until("the lease of b is unconfirmed", () -> group.state() == LeaseState.UNCONFIRMED);
        time.pass(Duration.ofSeconds(19));
        assertThatCode(group::ensureHeld).doesNotThrowAnyException();
        assertThat(group.remaining())
                .as("no longer than the lease that is cut off")
                .isBetween(Duration.ofNanos(1), SECOND);
        time.pass(SECOND);
        assertThat(group.state()).isEqualTo(LeaseState.LOST);
        store.heal("b");
    }
}
