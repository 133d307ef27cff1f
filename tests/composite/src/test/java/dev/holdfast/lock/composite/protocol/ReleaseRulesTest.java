package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.GRANTED;
import static dev.holdfast.lock.composite.protocol.Script.ID;
import static dev.holdfast.lock.composite.protocol.Script.JOB;
import static dev.holdfast.lock.composite.protocol.Script.LEASE;
import static dev.holdfast.lock.composite.protocol.Script.TIMING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a release says and leaves behind, whichever store it finds: rules 6 and 7 of PROTOCOL.md. */
class ReleaseRulesTest {

    private static final LockReply REFUSED = new LockReply.Unavailable(new StaleTermException("a test wants it"));
    private static final LockReply UNKNOWN_THERE = new LockReply.Released(false);
    private static final LockReply RELEASED = new LockReply.Released(true);

    private final Script script = new Script();

    @BeforeEach
    void knowThePrimary() {
        script.learn(2, FailoverPhase.PRIMARY);
    }

    @Test
    void release_ofALeaseThatTheAuthorityDoesNotKnow_isSentToNoStore() {
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(releaseWithoutAStore()).isEqualTo(RELEASED);
        assertThat(script.member.known()).isZero();
    }

    @Test
    void release_ofALeaseThatHasLapsedInTheDrain_saysSo() {
        script.acquire();
        while (script.validFor().compareTo(Duration.ZERO) > 0) {
            script.learn(3, FailoverPhase.DRAINING);
        }

        assertThat(releaseWithoutAStore()).isEqualTo(UNKNOWN_THERE);
    }

    @Test
    void release_ofALapsedLeaseThatMayBeAsserted_saysWhatTheAuthorityKnows() {
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.member.next(Target.AUTHORITY, script.now()); // the assertion; its reply never comes
        while (script.validFor().compareTo(Duration.ZERO) > 0) {
            script.learn(3, FailoverPhase.DRAINING);
        }

        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE)).isEqualTo(UNKNOWN_THERE);
    }

    @Test
    void release_inTheCallOfItsAcquire_leavesNothingToAssert() {
        script.call(List.of(Script.acquisition(), Script.release()), List.of(GRANTED, RELEASED));

        assertNothingIsAsserted();
    }

    @Test
    void release_refusedInTheCallOfItsAcquire_wasThatOfAHolder() {
        script.call(List.of(Script.acquisition(), Script.release()), List.of(GRANTED, REFUSED));
        script.learn(3, FailoverPhase.DRAINING);
        script.learn(3, FailoverPhase.FALLBACK);

        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE)).isEqualTo(RELEASED);
    }

    private LockReply releaseWithoutAStore() {
        RoutedBatch release = script.route(Script.release());
        assertThat(release.sent()).isEmpty();
        return script.settle(release, REFUSED);
    }

    /** An assertion may arrive as long as grants drain, and would keep the lock for as long as it says. */
    @Test
    void release_ofAShortLeaseThatMayBeAsserted_leavesATombstoneForTheWholeDrain() {
        Duration brief = TIMING.readInterval().multipliedBy(2);
        script.settle(
                script.route(new LockCommand.Acquire(JOB, ID, brief, false, 0, "test")),
                new LockReply.Granted(GRANTED.token(), brief));
        script.learn(3, FailoverPhase.DRAINING);
        script.member.next(Target.AUTHORITY, script.now()); // the assertion; its reply never comes

        assertThat(script.route(Script.release()).sent())
                .singleElement()
                .isInstanceOfSatisfying(
                        LockCommand.Release.class,
                        sent -> assertThat(sent.tombstone()).isGreaterThanOrEqualTo(TIMING.drain()));
    }

    /** The authority refuses an assertion that arrives now. */
    @Test
    void release_onceTheFallbackIsActive_leavesNothing() {
        script.acquire();
        asserted();
        script.learn(3, FailoverPhase.FALLBACK);
        release(Duration.ZERO);

        assertThat(script.member.known()).isZero();
    }

    @Test
    void release_thatTheDrainedPrimaryRefused_wasThatOfAHolder() {
        script.acquire();
        script.settle(script.route(Script.release()), REFUSED);
        script.learn(3, FailoverPhase.DRAINING);
        script.learn(3, FailoverPhase.FALLBACK);

        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE)).isEqualTo(RELEASED);
        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE))
                .as("once a store has replied")
                .isEqualTo(UNKNOWN_THERE);
    }

    @Test
    void release_thatWaitedForAFailbackInVain_wasThatOfAHolder() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.acquire();
        script.learn(4, FailoverPhase.FAILING_BACK);
        assertThat(RoutedBatch.isRetryable(releaseWithoutAStore())).isTrue();
        script.learn(5, FailoverPhase.FALLBACK);

        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE)).isEqualTo(RELEASED);
    }

    @Test
    void release_thatThePrimaryInPowerDoesNotKnow_saysSo() {
        script.acquire();
        script.settle(script.route(Script.release()), REFUSED);

        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE)).isEqualTo(UNKNOWN_THERE);
    }

    @Test
    void release_ofATransferredLeaseThatTheAuthorityDoesNotKnow_saysSo() {
        script.acquire();
        asserted();

        assertThat(script.settle(script.route(Script.release()), UNKNOWN_THERE)).isEqualTo(UNKNOWN_THERE);
    }

    @Test
    void release_withATombstone_keepsEveryAttemptOfItsIdFromHolding() {
        RoutedBatch attempt = script.route(Script.acquisition());
        script.route(new LockCommand.Release(JOB, ID, Duration.ZERO, LEASE));
        script.settle(attempt, GRANTED);

        assertThat(script.validFor()).isZero();
        RoutedBatch later = script.route(Script.acquisition());
        assertThat(later.sent()).isEmpty();
        assertThat(script.settle(later, GRANTED)).isEqualTo(new LockReply.Gone());
        script.pass(LEASE);
        script.learn(2, FailoverPhase.PRIMARY);
        assertThat(script.member.known()).as("in the end").isZero();
    }

    @Test
    void tombstone_whenAShorterOneFollows_lastsOn() {
        script.route(new LockCommand.Release(JOB, ID, Duration.ZERO, LEASE));
        script.route(new LockCommand.Release(JOB, ID, Duration.ZERO, Duration.ofMillis(1)));
        script.learn(2, FailoverPhase.PRIMARY);

        assertThat(script.route(Script.acquisition()).sent()).isEmpty();
    }

    @Test
    void minimumHold_countsFromTheGrantThoughAnEarlierAttemptWasGranted() {
        Duration age = Duration.ofSeconds(20);
        script.settle(script.route(Script.acquisition()), new LockReply.Granted(GRANTED.token(), LEASE.minus(age)));
        release(LEASE);

        assertThat(asserted().remaining()).isLessThanOrEqualTo(withSlack(LEASE.minus(age)));
    }

    @Test
    void minimumHold_whenTheStoreGrantsForLonger_countsFromTheRequest() {
        script.settle(
                script.route(Script.acquisition()), new LockReply.Granted(GRANTED.token(), LEASE.multipliedBy(2)));
        release(LEASE);

        assertThat(asserted().remaining()).isLessThanOrEqualTo(withSlack(LEASE));
    }

    @Test
    void minimumHold_whenARenewalIsAnsweredLater_staysAsItIs() {
        script.acquire();
        RoutedBatch renewal = script.route(new LockCommand.Renew(JOB, ID, LEASE.multipliedBy(10)));
        release(LEASE);
        script.settle(renewal, new LockReply.Granted(GRANTED.token(), LEASE.multipliedBy(10)));

        TransferredLease asserted = asserted();
        assertThat(asserted.minimumHoldOnly()).isTrue();
        assertThat(asserted.remaining()).isLessThanOrEqualTo(withSlack(LEASE));
    }

    /** The release may never arrive there. */
    @Test
    void minimumHold_whenTheAssertionOfItsLeaseIsAnsweredLater_isAssertedAsWell() {
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> {
            script.route(new LockCommand.Release(JOB, ID, LEASE, Duration.ZERO));
            return List.of(GRANTED);
        });
        script.calls.clear();

        assertThat(asserted().minimumHoldOnly()).isTrue();
    }

    @Test
    void minimumHold_isNoLeaseOfItsId() {
        script.acquire();
        release(LEASE);

        assertThat(script.end().isAfter(script.now())).isFalse();
        script.learn(3, FailoverPhase.FALLBACK);
        script.learn(4, FailoverPhase.FAILING_BACK);
        assertThat(script.settle(script.route(Script.acquisition()), GRANTED))
                .isInstanceOf(LockReply.Unavailable.class);
    }

    /** It has no holder that could go on after an authority lease. */
    @Test
    void minimumHold_whenTheAuthorityLeaseHasLapsed_isAssertedAllTheSame() {
        script.acquire();
        release(LEASE);
        script.pass(TIMING.lease());

        assertThat(asserted().minimumHoldOnly()).isTrue();
    }

    @Test
    void minimumHold_thatHasEndedByTheRelease_isNotAsserted() {
        script.acquire();
        script.pass(Duration.ofSeconds(5));
        release(Duration.ofSeconds(5));

        assertNothingIsAsserted();
    }

    /** The lock may have been granted and released since. */
    @Test
    void minimumHold_ofALeaseThatHasLapsed_isNotAsserted() {
        script.acquire();
        script.pass(TIMING.lease());
        release(LEASE);

        assertNothingIsAsserted();
    }

    private void release(Duration minimumHold) {
        script.settle(script.route(new LockCommand.Release(JOB, ID, minimumHold, Duration.ZERO)), RELEASED);
    }

    private TransferredLease asserted() {
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));
        return (TransferredLease) ((List<?>) script.calls.get(0).arguments().get(1)).get(0);
    }

    private void assertNothingIsAsserted() {
        assertThat(script.member.known()).isZero();
        script.learn(3, FailoverPhase.DRAINING);
        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isFalse();
    }

    private static Duration withSlack(Duration time) {
        return time.plus(time.dividedBy(100));
    }
}
