package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import dev.holdfast.lock.testing.Unprintable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** An election whose lease is lost, whose store does not answer, or whose candidate fails. */
@ResourceLock(Resources.SYSTEM_ERR)
class ElectionFailureTest extends Elections {

    private final Candidate one = new Candidate();
    private final Candidate other = new Candidate();

    @Test
    void leadership_whenLeaseIsEndedAtStore_isRevokedAndCampaignGoesOn() throws Exception {
        LeaderElection election = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        Lease first = one.lease();

        try (StandardError log = StandardError.listen()) {
            store.end(BOSS);
            time.pass(Duration.ofSeconds(10));

            awaitCalls(one, "elected", "revoked LOST", "elected");
            String line = "WARN dev.holdfast.lock.leases - the leadership of 'boss' with token " + first.fencingToken()
                    + " is over, as its lease is lost";
            Await.until("the loss is logged", () -> log.lines().anyMatch(each -> each.contains(line)));
        }
        assertThat(election.isLeader()).isTrue();
        assertThat(one.lease().fencingToken()).isGreaterThan(first.fencingToken());
    }

    @Test
    void leadership_whenStoreFallsSilent_endsWithTheLease() throws Exception {
        LeaderElection election = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        Duration left = one.lease().remaining();
        store.cut(BOSS);

        time.pass(left.minusMillis(1));
        assertThat(election.isLeader())
                .as("a moment before the end of the lease")
                .isTrue();
        time.pass(Duration.ofMillis(1));

        assertThat(election.isLeader()).as("at the end of the lease").isFalse();
        assertThat(election.lease()).isEmpty();
        awaitCalls(one, "elected", "revoked LOST");
    }

    @Test
    void leadership_whenTheProcessStandsStill_endsWithTheLeaseThoughNoTimerHasFired() {
        LeaderElection election = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        Lease first = one.lease();

        time.stall(first.remaining());

        assertThat(election.isLeader()).isFalse();
        // The question has brought about that the lease is lost, so that it may be elected again by now.
        assertThat(election.lease().map(Lease::fencingToken)).isNotEqualTo(Optional.of(first.fencingToken()));
    }

    @Test
    void elected_thatBlocksWhenLeaseIsLost_isInterruptedAndCampaignsAfterItsReturn() {
        CountDownLatch cleanUp = new CountDownLatch(1);
        Candidate busy = new Candidate() {
            @Override
            void lead(Lease granted) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    calls.add("interrupted");
                    Await.opened(cleanUp);
                }
            }
        };
        LeaderElection election = locks.elect(BOSS, busy);
        awaitCalls(busy, "elected");
        store.end(BOSS);
        time.pass(Duration.ofSeconds(10));
        awaitCalls(busy, "elected", "interrupted");
        long acquires = store.acquires(BOSS).count();

        elsewhere.elect(BOSS, other);
        awaitCalls(other, "elected");
        assertThat(election.isLeader()).isFalse();
        assertThat(store.acquires(BOSS).count()).as("of the other only").isEqualTo(acquires + 1);

        cleanUp.countDown();
        awaitCalls(busy, "elected", "interrupted", "revoked LOST");
    }

    @Test
    void campaign_duringOutage_goesOnAndIsLoggedOnce() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        locks.addListener(new LockListener() {
            @Override
            public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
                assertThat(reason).isEqualTo(AcquireFailure.UNAVAILABLE);
                failures.incrementAndGet();
            }
        });
        store.cut(BOSS);
        String log = logOf(() -> {
            locks.elect(BOSS, one);
            time.passUntil("several requests have failed", () -> failures.get() >= 3);
            store.heal(BOSS);
            time.passUntil("it is elected", () -> !one.calls().isEmpty());
        });

        assertThat(log).containsOnlyOnce("the campaign for 'boss' goes on, though the store does not answer");
        mustBeHeldBy(one);
    }

    @Test
    void close_whileStoreIsSilent_returns() throws Exception {
        LeaderElection election = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        LeaderElection waiting = elsewhere.elect(BOSS, other);
        awaitWaiting(2);
        store.cut(BOSS);

        election.close();
        waiting.close();

        assertThat(one.calls()).containsExactly("elected", "revoked HELD");
        assertThat(other.calls()).isEmpty();
    }

    @Test
    void candidate_thatGoesOnAfterItsLeaseIsLostOrTheElectionIsClosed_isLogged() {
        CountDownLatch goOn = new CountDownLatch(1);
        Candidate stubborn = stubborn(goOn);
        LeaderElection election = locks.elect(BOSS, stubborn);
        awaitCalls(stubborn, "elected");
        try (StandardError log = StandardError.listen()) {
            store.end(BOSS);
            time.passUntil("it is logged", () -> isLogged(log, "has not stopped 10s after its lease was lost"));
            Thread closing = new Thread(election::close);
            closing.start();
            time.passUntil("the close gives up", () -> !closing.isAlive());
            assertThat(isLogged(log, "the leader candidate of 'boss' has not stopped within 10 s"))
                    .isTrue();
            assertThat(log.lines().filter(line -> line.contains("after its lease was lost")))
                    .hasSize(1);
        }
        goOn.countDown();
    }

    private static boolean isLogged(StandardError log, String text) {
        return log.lines().anyMatch(line -> line.contains("WARN") && line.contains(text));
    }

    private static Candidate stubborn(CountDownLatch goOn) {
        return new Candidate() {
            @Override
            void lead(Lease granted) {
                Await.until(
                        "it may go on",
                        () -> { // whatever interrupts it
                            boolean unused = Thread.interrupted();
                            return goOn.getCount() == 0;
                        });
            }
        };
    }

    @Test
    void close_afterTheLocksAreClosed_returnsThoughTheCandidateGoesOn() {
        CountDownLatch goOn = new CountDownLatch(1);
        Candidate stubborn = stubborn(goOn);
        LeaderElection election = locks.elect(BOSS, stubborn);
        awaitCalls(stubborn, "elected");
        time.close(locks);

        election.close();

        assertThat(stubborn.calls()).containsExactly("elected");
        goOn.countDown();
    }

    @Test
    void elected_thatThrows_givesUpTheLeadershipAndCampaignsAfterAPause() throws Exception {
        AtomicInteger failures = new AtomicInteger(2);
        AtomicReference<DualClockInstant> refused = new AtomicReference<>();
        Candidate failing = new Candidate() {
            @Override
            void lead(Lease granted) {
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("on purpose");
                }
            }

            @Override
            void stop(Lease ended) {
                refused.set(time.now());
            }
        };
        String log = logOf(() -> {
            locks.elect(BOSS, failing);
            awaitCalls(failing, "elected", "revoked HELD");
            Await.until("the lock is free", () -> Free.isFree(elsewhere, BOSS));
            DualClockInstant since = time.now();
            time.passUntil("it leads again", () -> failing.calls().size() == 4);
            assertThat(since.until(time.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            time.passUntil("it leads for good", () -> failing.calls().size() == 5);
            assertThat(refused.get().until(time.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        });

        assertThat(log).contains("the leader candidate of 'boss' failed, and does not lead");
    }

    @Test
    void elected_thatThrowsWhatCannotBeLogged_givesUpTheLeadership() {
        Candidate failing = new Candidate() {
            @Override
            void lead(Lease granted) {
                throw new Unprintable();
            }
        };
        locks.elect(BOSS, failing);
        awaitCalls(failing, "elected", "revoked HELD");
        Await.until("the lock is free", () -> Free.isFree(elsewhere, BOSS));
    }

    @Test
    void close_betweenCampaigns_endsThePause() throws Exception {
        Candidate failing = new Candidate() {
            @Override
            void lead(Lease granted) {
                throw new IllegalStateException("on purpose");
            }
        };
        String log = logOf(() -> {
            LeaderElection election = locks.elect(BOSS, failing);
            Await.until("the lock is released", () -> store.releases(BOSS) == 1);
            election.close();
            time.pass(Duration.ofMinutes(5));
        });

        assertThat(failing.calls()).containsExactly("elected", "revoked HELD");
        assertThat(log).containsOnlyOnce("on purpose");
    }

    @Test
    void revoked_thatThrows_isLoggedAndTheLockReleased() throws Exception {
        Candidate failing = new Candidate() {
            @Override
            void stop(Lease ended) {
                throw new IllegalStateException("on purpose");
            }
        };
        String log = logOf(() -> {
            LeaderElection election = locks.elect(BOSS, failing);
            awaitCalls(failing, "elected");
            election.close();
        });

        assertThat(log).contains("failed when its leadership was revoked");
        assertThat(Free.isFree(elsewhere, BOSS)).isTrue();
    }

    private static String logOf(Person.Order order) throws Exception {
        try (StandardError log = StandardError.listen()) {
            order.carryOut();
            return log.lines().collect(Collectors.joining("\n"));
        }
    }
}
