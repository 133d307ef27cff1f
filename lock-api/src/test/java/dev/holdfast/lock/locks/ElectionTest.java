package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The leader, and what its candidate is told, while nothing goes wrong with the store. */
class ElectionTest extends Elections {

    private final Candidate one = new Candidate();
    private final Candidate other = new Candidate();

    @Test
    void elect_whenLockIsFree_electsCandidateWithLease() {
        LeaderElection election = locks.elect(BOSS, one);
        awaitCalls(one, "elected");

        assertThat(election.isLeader()).isTrue();
        assertThat(election.lease()).contains(one.lease());
        assertThat(election.name()).isEqualTo(BOSS);
        assertThat(one.lease().fencingToken()).isPositive();
    }

    @Test
    void leadership_whileNothingHappens_isRenewed() {
        LeaderElection election = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        for (int renewal = 1; renewal <= 5; renewal++) {
            long expected = renewal;
            time.pass(Duration.ofSeconds(10));
            Await.until("it is renewed", () -> store.renewals(BOSS) >= expected);
            time.settle(); // its reply has set the next timer
        }

        assertThat(election.isLeader()).isTrue();
        assertThat(one.calls()).containsExactly("elected");
    }

    @Test
    void candidates_inTwoProcesses_leadOneAfterTheOther() {
        LeaderElection first = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        LeaderElection second = elsewhere.elect(BOSS, other);
        awaitWaiting(2);
        assertThat(second.isLeader()).isFalse();
        assertThat(second.lease()).isEmpty();

        first.close();

        awaitCalls(other, "elected");
        assertThat(one.calls()).containsExactly("elected", "revoked HELD");
        assertThat(other.lease().fencingToken()).isGreaterThan(one.lease().fencingToken());
        assertThat(first.isLeader()).isFalse();
        assertThat(second.isLeader()).isTrue();
    }

    @Test
    void yieldLeadership_withAnotherCandidateWaiting_letsItLead() {
        LeaderElection first = locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        LeaderElection second = elsewhere.elect(BOSS, other);
        awaitWaiting(2);

        first.yieldLeadership();
        awaitCalls(other, "elected");
        assertThat(one.calls()).containsExactly("elected", "revoked HELD");

        Await.until(
                "the first campaigns again",
                () -> store.acquires(BOSS)
                                .map(sent -> sent.command().id())
                                .distinct()
                                .count()
                        == 3);
        time.settle(); // it has its place in the queue
        second.yieldLeadership();
        awaitCalls(one, "elected", "revoked HELD", "elected");
    }

    @Test
    void yieldLeadership_byCandidateThatDoesNotLead_changesNothing() {
        locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        LeaderElection waiting = elsewhere.elect(BOSS, other);

        waiting.yieldLeadership();

        mustBeHeldBy(one);
        assertThat(other.calls()).isEmpty();
    }

    @Test
    void lease_closedByCandidate_yieldsLeadership() {
        Candidate brief = new Candidate() {
            @Override
            void lead(Lease granted) {
                granted.close();
            }
        };
        locks.elect(BOSS, brief);

        Await.until("it leads again", () -> brief.calls().size() >= 3);
        assertThat(brief.calls()).startsWith("elected", "revoked HELD", "elected");
    }

    @Test
    void revoked_whenLeadershipIsYielded_returnsBeforeTheNextLeaderIsElected() {
        CountDownLatch stops = new CountDownLatch(1);
        Candidate slow = new Candidate() {
            @Override
            void stop(Lease ended) {
                Await.opened(stops);
            }
        };
        LeaderElection election = locks.elect(BOSS, slow);
        awaitCalls(slow, "elected");
        elsewhere.elect(BOSS, other);
        awaitWaiting(2);
        election.yieldLeadership();
        awaitCalls(slow, "elected", "revoked HELD");

        time.pass(LEASE.dividedBy(3)); // it is renewed all the while
        Await.until("it is renewed", () -> store.renewals(BOSS) > 0);
        assertThat(election.isLeader()).isFalse();
        assertThat(slow.lease().state()).isEqualTo(LeaseState.HELD);
        assertThat(other.calls()).isEmpty();

        stops.countDown();
        awaitCalls(other, "elected");
    }

    @Test
    void close_whileElectedBlocks_interruptsItAndTellsItAfterwards() {
        Candidate busy = new Candidate() {
            @Override
            void lead(Lease granted) throws InterruptedException {
                new CountDownLatch(1).await();
            }
        };
        LeaderElection election = locks.elect(BOSS, busy);
        awaitCalls(busy, "elected");

        election.close();

        assertThat(busy.calls()).containsExactly("elected", "revoked HELD");
        assertThat(Free.isFree(elsewhere, BOSS)).isTrue();
        election.close();
        assertThat(busy.calls()).hasSize(2);
    }

    @Test
    void close_whileCampaigning_withdrawsTheRequest() {
        locks.elect(BOSS, one);
        awaitCalls(one, "elected");
        LeaderElection waiting = elsewhere.elect(BOSS, other);
        awaitWaiting(2);

        waiting.close();
        Await.until("the store is told", () -> store.releases(BOSS) == 1);
        one.lease().close();

        Await.until("the first is elected again", () -> one.calls().size() == 3);
        assertThat(other.calls()).isEmpty();
    }

    @Test
    void close_withinElected_returnsAtOnceAndEndsTheElection() {
        CountDownLatch known = new CountDownLatch(1);
        LeaderElection[] own = new LeaderElection[1];
        Candidate resigning = new Candidate() {
            @Override
            void lead(Lease granted) {
                Await.opened(known);
                own[0].close();
                calls.add("closed");
            }
        };
        own[0] = locks.elect(BOSS, resigning);
        known.countDown();

        awaitCalls(resigning, "elected", "closed", "revoked HELD");
        Await.until("the lock is free", () -> Free.isFree(elsewhere, BOSS));
        assertThat(resigning.calls()).hasSize(3);
    }

    @Test
    void close_withinRevoked_returnsAtOnceAndEndsTheElection() {
        LeaderElection[] own = new LeaderElection[1];
        Candidate resigning = new Candidate() {
            @Override
            void stop(Lease ended) {
                own[0].close();
            }
        };
        own[0] = locks.elect(BOSS, resigning);
        awaitCalls(resigning, "elected");
        own[0].yieldLeadership();

        Await.until("the lock is free", () -> Free.isFree(elsewhere, BOSS));
        assertThat(resigning.calls()).containsExactly("elected", "revoked HELD");
    }

    @Test
    void closeOfLocks_tellsCandidatesBeforeTheirLocksAreFree() {
        boolean[] wasHeld = new boolean[1];
        Candidate leader = new Candidate() {
            @Override
            void stop(Lease ended) {
                wasHeld[0] = !Free.isFree(elsewhere, BOSS);
            }
        };
        locks.elect(BOSS, leader);
        awaitCalls(leader, "elected");

        locks.close();

        assertThat(leader.calls()).containsExactly("elected", "revoked HELD");
        assertThat(wasHeld[0]).isTrue();
        assertThat(Free.isFree(elsewhere, BOSS)).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> locks.elect(BOSS, one))
                .withMessage("these locks are closed");
    }

    @Test
    void elect_withNameThatIsNotAllowed_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.elect("", one));
    }
}
