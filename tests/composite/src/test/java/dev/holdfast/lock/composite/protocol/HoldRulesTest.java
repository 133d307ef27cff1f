package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.GRANTED;
import static dev.holdfast.lock.composite.protocol.Script.ID;
import static dev.holdfast.lock.composite.protocol.Script.JOB;
import static dev.holdfast.lock.composite.protocol.Script.LEASE;
import static dev.holdfast.lock.composite.protocol.Script.TIMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** For how long a process may hold a lock, and what becomes of its holds in a transition: rules 1 to 7 of PROTOCOL.md. */
class HoldRulesTest {

    private static final Share SHARE = new Share(2, 3);

    private final Script script = new Script();

    @Test
    void unknownLease_isOverAtAnEarlierReadingOfTheClock() {
        DualClockInstant before = script.now();
        script.pass(Duration.ofSeconds(3)); // the engine's thread stood still between its reading and the member's

        assertThat(script.end().isAfter(before)).isFalse();
    }

    @Test
    void authorityLease_whenTheReplyIsLate_lastsFromTheRequest() {
        script.learn(2, FailoverPhase.PRIMARY, Duration.ofSeconds(4));
        script.acquire();

        assertThat(script.validFor()).isEqualTo(TIMING.lease().minusSeconds(4));
        script.pass(TIMING.lease().minusSeconds(4));
        assertThat(script.route(Script.acquisition()).sent()).isEmpty();
        assertThat(script.member.isUrgent()).as("reads the state at once").isTrue();
        assertThat(script.validFor()).isZero();
        assertThat(script.member.isSettled(JOB, ID, script.now())).isFalse();
    }

    @Test
    void hold_thatEndsAsTheAuthorityIsSilent_saysSo() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        while (!script.validFor().isZero()) {
            script.pass(TIMING.readInterval());
            script.run(Target.AUTHORITY, (method, arguments) -> {
                throw new IllegalStateException("a test wants it");
            });
        }

        assertThat(whyUnconfirmed()).isEqualTo(": the authority of the composite does not answer; check its database");
    }

    @Test
    void hold_thatEndsAsTheProcessStoodStill_blamesNoStore() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.pass(TIMING.lease());

        assertThat(script.validFor()).isZero();
        assertThat(whyUnconfirmed()).isEqualTo(", as this process or its machine stood still");
    }

    @Test
    void hold_thatIsNotTransferredInTime_saysSo() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        while (!script.validFor().isZero()) {
            script.learn(3, FailoverPhase.DRAINING);
        }

        assertThat(whyUnconfirmed()).isEqualTo(": it was not transferred in time in the failover to epoch 3");
    }

    private String whyUnconfirmed() {
        return script.member.whyUnconfirmed(JOB, ID);
    }

    @Test
    void authorityState_whenAnOlderReplyArrives_isNotReplaced() {
        script.learn(3, FailoverPhase.DRAINING);
        script.learn(2, FailoverPhase.PRIMARY);
        assertThat(script.member.isIn(FailoverPhase.DRAINING)).isTrue();

        script.learn(3, FailoverPhase.FALLBACK);
        script.learn(3, FailoverPhase.DRAINING);
        assertThat(script.member.isIn(FailoverPhase.FALLBACK)).isTrue();
    }

    /** A backup was restored, or a standby took over that lacked the latest commits. */
    @Test
    void acquire_whenTheAuthorityHasLostCommits_isRefusedWithTheCause() {
        script.learn(5, FailoverPhase.PRIMARY);
        DualClockInstant endOfLease = script.now().plus(TIMING.lease());
        while (endOfLease.isAfter(script.now())) {
            script.learn(3, FailoverPhase.FALLBACK);
        }

        LockReply reply = script.settle(script.route(Script.acquisition()), GRANTED);

        assertThat(RoutedBatch.isRetryable(reply)).isFalse();
        assertThat(reply)
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        unavailable -> assertThat(unavailable.cause())
                                .hasMessageContainingAll(
                                        "FALLBACK of epoch 3", "PRIMARY of epoch 5", "Stop all processes"));
        assertThat(script.member.isUrgent()).isFalse();
    }

    @Test
    void grant_whenItsTermHasEnded_isNotHeld() {
        script.learn(2, FailoverPhase.PRIMARY);
        RoutedBatch inTermTwo = script.route(Script.acquisition());
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(RoutedBatch.isRetryable(script.settle(inTermTwo, GRANTED))).isTrue();
        assertThat(script.validFor()).isZero();
    }

    @Test
    void grant_whenALaterTermIsInPower_isNotHeld() {
        script.learn(2, FailoverPhase.PRIMARY);
        RoutedBatch inTermTwo = script.route(Script.acquisition());
        script.learn(4, FailoverPhase.PRIMARY);

        assertThat(RoutedBatch.isRetryable(script.settle(inTermTwo, GRANTED))).isTrue();
        assertThat(script.validFor()).isZero();
    }

    @Test
    void grant_whenTheAuthorityLeaseHasLapsed_isNotHeld() {
        script.learn(2, FailoverPhase.PRIMARY);
        RoutedBatch batch = script.route(Script.acquisition());
        script.pass(TIMING.lease());

        assertThat(script.settle(batch, GRANTED)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(script.member.known()).isZero();
        assertThat(script.member.isUrgent()).as("reads the state at once").isTrue();
    }

    @Test
    void lease_whenItIsNotAsserted_endsWithTheAuthorityLeaseOfItsEpoch() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);

        Duration left = TIMING.lease().minus(TIMING.readInterval());
        assertThat(script.validFor()).isEqualTo(left);
        script.learn(3, FailoverPhase.DRAINING);
        assertThat(script.validFor()).isEqualTo(left.minus(TIMING.readInterval()));
    }

    /** The engine repeats so many releases at most, and leaves the leases of others to end by themselves. */
    @Test
    void lease_thatIsNeverReleased_isForgottenLongAfterItsEnd() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.pass(LEASE);
        script.learn(2, FailoverPhase.PRIMARY);
        assertThat(script.member.known()).as("its release may come").isOne();

        script.pass(LEASE.plus(TIMING.drain()));
        script.learn(2, FailoverPhase.PRIMARY);
        assertThat(script.member.known()).isZero();
        assertThat(script.validFor()).isZero();
    }

    @Test
    void lease_whenTheAuthorityAcceptsItsAssertion_lastsOnInTheNewEpoch() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);

        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        assertThat(script.validFor()).isEqualTo(TIMING.lease());
        assertThat(script.calls).extracting(Script.Call::method).containsExactly("assertLeases");
    }

    /** By the clock of either side: this one may be slower. */
    @Test
    void lease_whenItIsAsserted_lastsThereAsLongAsWhereItWasGranted() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        TransferredLease asserted =
                (TransferredLease) ((List<?>) script.calls.get(0).arguments().get(1)).get(0);
        assertThat(asserted.remaining()).isGreaterThan(LEASE.minus(TIMING.readInterval()));
    }

    @Test
    void lease_whenTheAuthorityRefusesItsAssertion_endsAtOnce() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);

        script.run(Target.AUTHORITY, (method, arguments) -> List.of(new LockReply.Gone()));

        assertThat(script.validFor()).isZero();
        assertThat(script.shortened).isOne();
    }

    @Test
    void lease_whenItsAssertionIsAnsweredTooLate_staysLost() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> {
            script.pass(TIMING.lease());
            return List.of(GRANTED);
        });
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(script.validFor().compareTo(Duration.ZERO)).isNotPositive();
    }

    /** The former primary may still grant the lock when the lease ends that it knows. */
    @Test
    void renewal_whileGrantsDrain_doesNotMoveTheDeadline() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        RoutedBatch renewal = script.route(new LockCommand.Renew(JOB, ID, LEASE));
        LockReply reply = script.settle(renewal, GRANTED);

        assertThat(renewal.sent()).hasSize(1);
        assertThat(((LockReply.Granted) reply).remaining()).isLessThan(LEASE.minus(TIMING.readInterval()));
        script.learn(3, FailoverPhase.FALLBACK);
        reply = script.settle(script.route(new LockCommand.Renew(JOB, ID, LEASE)), GRANTED);
        assertThat(((LockReply.Granted) reply).remaining()).isGreaterThan(LEASE.minusSeconds(1));
    }

    @Test
    void renewal_whenItsTermHasEnded_doesNotConfirmTheLease() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        RoutedBatch inTermTwo = script.route(new LockCommand.Renew(JOB, ID, LEASE));
        script.learn(3, FailoverPhase.DRAINING);

        script.settle(inTermTwo, GRANTED);

        assertThat(script.validFor()).isEqualTo(TIMING.lease().minus(TIMING.readInterval()));
    }

    /** Another row than the one that was renewed is the one that counts now. */
    @Test
    void renewal_whenALaterEpochHasConfirmedTheLease_doesNotMoveTheDeadline() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        Duration longer = LEASE.multipliedBy(10);
        RoutedBatch inTermTwo = script.route(new LockCommand.Renew(JOB, ID, longer));
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));
        script.learn(3, FailoverPhase.FALLBACK);

        assertThat(script.settle(inTermTwo, new LockReply.Granted(GRANTED.token(), longer)))
                .isInstanceOfSatisfying(
                        LockReply.Granted.class,
                        reply -> assertThat(reply.remaining()).isLessThan(LEASE));
    }

    /** The lock may have been granted to another process since. */
    @Test
    void lease_whenTheAuthorityLeaseHasLapsed_isNotAsserted() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.pass(TIMING.lease());
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isFalse();
    }

    /** It has no lease that a store could renew: the reply would end it. */
    @Test
    void minimumHold_whenTheFailbackHasSucceeded_isNotRenewed() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.settle(
                script.route(new LockCommand.Release(JOB, ID, LEASE.multipliedBy(2), Duration.ZERO)),
                new LockReply.Released(true));
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));
        script.learn(3, FailoverPhase.FALLBACK);
        script.learn(4, FailoverPhase.FAILING_BACK);
        script.learn(4, FailoverPhase.PRIMARY);
        script.calls.clear();
        script.run(
                Target.PRIMARY,
                (method, arguments) -> method.equals("execute")
                        ? List.of(new LockReply.Gone())
                        : new PrimaryHealth("id", true, 4, 0, 0, Optional.empty()));
        script.learn(5, FailoverPhase.DRAINING);

        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isTrue();
        assertThat(script.calls).extracting(Script.Call::method).containsExactly("health", "assertLeases");
    }

    @Test
    void release_whenAnAssertionMayBeOnItsWay_leavesATombstoneAtTheAuthority() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.member.next(Target.AUTHORITY, script.now());

        RoutedBatch release = script.route(Script.release());

        assertThat(release.sent())
                .singleElement()
                .isInstanceOfSatisfying(
                        LockCommand.Release.class,
                        sent -> assertThat(sent.tombstone()).isGreaterThanOrEqualTo(LEASE));
        assertThat(script.settle(release, new LockReply.Released(false))).isEqualTo(new LockReply.Released(true));
    }

    @Test
    void release_beforeTheDrain_leavesNothingToAssert() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        RoutedBatch release = script.route(Script.release());
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isFalse();
        assertThat(script.validFor()).isZero();
        script.settle(release, new LockReply.Released(true));
    }

    @Test
    void release_ofATransferredLease_isSentToTheAuthorityAndNotAssertedAgain() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        RoutedBatch release = script.route(Script.release());

        assertThat(release.sent()).hasSize(1);
        assertThat(release.isForPrimary()).isFalse();
        assertThat(script.validFor()).isZero();
        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isFalse();
    }

    @Test
    void release_whenTheAssertionIsAnsweredLater_isNotUndone() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> {
            assertThat(((TransferredLease) ((List<?>) arguments.get(1)).get(0)).minimumHoldOnly())
                    .isFalse();
            script.route(Script.release());
            return List.of(GRANTED);
        });

        assertThat(script.validFor()).isZero();
    }

    @Test
    void share_whenItsLeaseIsAsserted_goesWithIt() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire(SHARE);
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        script.route(new LockCommand.Release(JOB, ID, LEASE, Duration.ZERO, SHARE));
        script.learn(4, FailoverPhase.PRIMARY);
        script.learn(5, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        assertThat(script.calls)
                .extracting(call -> ((List<?>) call.arguments().get(1)).get(0))
                .extracting(lease -> (TransferredLease) lease)
                .extracting(TransferredLease::minimumHoldOnly, TransferredLease::share)
                .containsExactly(tuple(false, SHARE), tuple(true, SHARE));
    }

    @Test
    void share_whenItsLeaseIsConfirmed_goesWithTheRenewal() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire(SHARE);
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));
        script.learn(3, FailoverPhase.FALLBACK);
        script.learn(4, FailoverPhase.FAILING_BACK);
        script.learn(4, FailoverPhase.PRIMARY);
        script.calls.clear();
        script.run(Target.PRIMARY, (method, arguments) -> List.of(GRANTED));

        assertThat(script.calls).singleElement().satisfies(call -> {
            assertThat(call.method()).isEqualTo("execute");
            assertThat(((List<?>) call.arguments().get(1)))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            LockCommand.Renew.class,
                            renewal -> assertThat(renewal.share()).isEqualTo(SHARE));
        });
    }

    @Test
    void share_whenItsReleaseGetsATombstone_goesWithIt() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire(SHARE);
        script.learn(3, FailoverPhase.DRAINING);
        script.member.next(Target.AUTHORITY, script.now());

        assertThat(script.route(new LockCommand.Release(JOB, ID, Duration.ZERO, Duration.ZERO, SHARE))
                        .sent())
                .singleElement()
                .satisfies(sent -> assertThat(sent.share()).isEqualTo(SHARE));
    }
}
