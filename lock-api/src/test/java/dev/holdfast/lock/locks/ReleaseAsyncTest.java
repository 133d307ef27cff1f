package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.testing.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code releaseAsync}: over for this process at once, free at the store once the release has arrived, and reported once. */
@Execution(ExecutionMode.CONCURRENT)
class ReleaseAsyncTest extends LeaseGroups {

    @Test
    void lease_whileItsReleaseIsUnderWay_isReleasedAndNothingElseWaits() throws Exception {
        CountDownLatch arrival = store.holdUpReleases("a");
        Lease lease = locks.named("a").acquire();
        CompletableFuture<Boolean> released = lease.releaseAsync();

        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatIllegalStateException().isThrownBy(lease::ensureHeld);
        lease.close();
        assertThat(lease.release()).as("a second release").isFalse();
        assertThat(Await.result(lease.releaseAsync())).as("a third release").isFalse();
        assertThat(elsewhere.named("a").tryAcquire()).isEmpty();
        assertThat(released).isNotDone();
        arrival.countDown();
        assertThat(Await.result(released)).isTrue();
        assertThat(isFree("a")).isTrue();
        assertThat(store.releases("a")).isEqualTo(1 + 1); // and that of isFree
    }

    @Test
    void releaseAsync_afterAnUnnoticedLoss_completesWithFalse() throws Exception {
        Lease lease = locks.named("a").acquire();
        store.end("a");

        assertThat(Await.result(lease.releaseAsync())).isFalse();
    }

    @Test
    void releaseAsync_withinTry_reportsAFailureOnceAndIsRepeated() throws Exception {
        CompletableFuture<Boolean> released;
        try (Lease lease = elsewhere.named("a").acquire()) {
            store.cut("a");
            released = lease.releaseAsync();
        }
        time.passUntil("the release gives up", released::isDone);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> Await.result(released))
                .withCauseInstanceOf(LockUnavailableException.class)
                .withMessageContaining("'a'");
        store.heal("a");
        time.passUntil("the release is repeated", () -> Free.isFree(locks, "a"));
    }

    @Test
    void future_thatIsCancelled_doesNotTakeTheReleaseBack() throws Exception {
        CountDownLatch arrival = store.holdUpReleases("a");
        CompletableFuture<Boolean> released = locks.named("a").acquire().releaseAsync();
        assertThat(released.cancel(true)).isTrue();
        arrival.countDown();

        Await.until("the lock is free", () -> isFree("a"));
    }

    @Test
    void stages_thatBlock_delayNoReleaseAndRunOnThreadsOfHoldfast() throws Exception {
        CountDownLatch arrival = store.holdUpReleases("a");
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> stage = locks.named("a")
                .acquire()
                .releaseAsync()
                .thenApply(wasHeld -> {
                    Await.opened(end);
                    return Thread.currentThread().getName();
                });
        arrival.countDown();
        Await.until("the lock is free", () -> isFree("a"));
        assertThat(Await.result(locks.named("b").acquire().releaseAsync())).isTrue();
        end.countDown();

        assertThat(Await.result(stage)).startsWith("holdfast-async-");
    }

    @Test
    void close_ofTheLocks_waitsForTheRelease() throws Exception {
        CountDownLatch arrival = store.holdUpReleases("a");
        CompletableFuture<Boolean> released = locks.named("a").acquire().releaseAsync();
        Future<?> closed = ann.begins(locks::close);
        Await.until("no lock is granted any more", this::isClosing);
        ann.awaitWaiting();
        assertThat(released).isNotDone();
        arrival.countDown();
        Person.result(closed);

        assertThat(Await.result(released)).isTrue();
    }

    private boolean isClosing() {
        try {
            locks.named("b").tryAcquire().ifPresent(Lease::close);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void releaseAsync_ofAGroup_releasesAllOfItsLocks() throws Exception {
        CountDownLatch arrival = store.holdUpReleases("a");
        LeaseGroup group = held(locks);
        CompletableFuture<Boolean> released = group.releaseAsync();

        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        group.close();
        assertThat(Await.result(group.releaseAsync())).as("a second release").isFalse();
        assertThat(released).isNotDone();
        arrival.countDown();
        assertThat(Await.result(released)).isTrue();
        assertThat(NAMES).allMatch(this::isFree);
    }

    @Test
    void releaseAsync_ofAGroupWithOneNameCutOff_failsOnceAndReleasesTheOthers() throws Exception {
        LeaseGroup group = held(elsewhere);
        store.cut("c");
        CompletableFuture<Boolean> released = group.releaseAsync();
        group.close();
        Await.until("the others are free", () -> Free.isFree(locks, "a") && Free.isFree(locks, "b"));
        time.passUntil("the release gives up", released::isDone);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> Await.result(released))
                .withCauseInstanceOf(LockUnavailableException.class)
                .withMessageContaining("'c'");
        store.heal("c");
        time.passUntil("the release is repeated", () -> Free.isFree(locks, "c"));
    }

    @Test
    void releaseAsync_ofAGroupAfterAnUnnoticedLoss_completesWithFalse() throws Exception {
        LeaseGroup group = held(locks);
        store.end("b");

        assertThat(Await.result(group.releaseAsync())).isFalse();
        assertThat(NAMES).allMatch(this::isFree);
    }

    @Test
    void releaseAsync_byALeader_yieldsTheLeadership() throws Exception {
        CountDownLatch revoked = new CountDownLatch(1);
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        locks.elect("boss", new LeaderCandidate() {
            @Override
            public void elected(Lease lease) throws Exception {
                released.complete(Await.result(lease.releaseAsync()));
            }

            @Override
            public void revoked(Lease lease) {
                revoked.countDown();
            }
        });

        assertThat(Await.result(released)).isTrue();
        Await.opened(revoked);
    }
}
