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
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replies that are taken in another order than the stores executed the requests: rule 4 of PROTOCOL.md. */
class ReplyOrderTest {

    private static final Duration LONG = Duration.ofMinutes(20);
    private static final LockReply GONE = new LockReply.Gone();

    private final Script script = new Script();

    @BeforeEach
    void knowThePrimary() {
        script.learn(2, FailoverPhase.PRIMARY);
    }

    @Test
    void renewal_whoseReplyIsTakenAfterThatOfALongerOne_isAssertedForTheLongerOne() {
        script.acquire();
        RoutedBatch shorter = script.route(new LockCommand.Renew(JOB, ID, LEASE));
        DualClockInstant sent = script.now();
        script.pass(Duration.ofSeconds(1));
        script.settle(script.route(new LockCommand.Renew(JOB, ID, LONG)), granted(LONG));
        script.settle(shorter, GRANTED, sent);

        assertThat(asserted().remaining()).isGreaterThan(LONG.minusSeconds(10));
    }

    @Test
    void renewal_whoseReplyIsTakenAfterThatOfALongerOne_tellsTheEngineWhatItConfirmed() {
        script.acquire();
        RoutedBatch shorter = script.route(new LockCommand.Renew(JOB, ID, LEASE));
        script.settle(script.route(new LockCommand.Renew(JOB, ID, LONG)), granted(LONG));

        assertThat(script.settle(shorter, GRANTED)).isEqualTo(GRANTED);
    }

    @Test
    void acquire_whoseReplyIsTakenAfterThatOfARenewal_isAssertedForTheRenewal() {
        script.acquire();
        RoutedBatch repeated = script.route(Script.acquisition());
        script.settle(script.route(new LockCommand.Renew(JOB, ID, LONG)), granted(LONG));
        script.settle(repeated, GRANTED);

        assertThat(asserted().remaining()).isGreaterThan(LONG.minusSeconds(10));
    }

    @Test
    void acquire_whoseReplyIsTakenAfterARelease_isGoneAndLeavesTheMinimumHoldAsItIs() {
        script.acquire();
        RoutedBatch repeated = script.route(Script.acquisition());
        Duration minimum = LEASE.multipliedBy(2);
        script.settle(
                script.route(new LockCommand.Release(JOB, ID, minimum, Duration.ZERO)), new LockReply.Released(true));

        assertThat(script.settle(repeated, GRANTED)).isEqualTo(GONE);
        TransferredLease asserted = asserted();
        assertThat(asserted.minimumHoldOnly()).isTrue();
        assertThat(asserted.remaining()).isGreaterThan(minimum.minusSeconds(10));
    }

    @Test
    void acquire_repeatedInTheCallOfItsRelease_isGrantedAndLeavesTheMinimumHoldAsItIs() {
        script.acquire();
        LockReply released = new LockReply.Released(true);
        LockCommand release = new LockCommand.Release(JOB, ID, LEASE.multipliedBy(2), Duration.ZERO);

        assertThat(script.call(List.of(Script.acquisition(), release), List.of(GRANTED, released)))
                .containsExactly(GRANTED, released);
        assertThat(asserted().minimumHoldOnly()).isTrue();
    }

    /** The release has been carried out, and would not follow. */
    @Test
    void acquire_releasedInItsCall_isNotRepeatedAfterATransition() {
        LockReply released = new LockReply.Released(true);
        RoutedBatch inTermTwo = script.member.route(List.of(Script.acquisition(), Script.release()), script.now());
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(script.member.settle(inTermTwo, List.of(GRANTED, released), script.now(), script.now()))
                .containsExactly(GONE, released);
    }

    @Test
    void acquire_grantedAfterTheMinimumHoldOfItsId_isALeaseOfItsOwn() {
        script.acquire();
        script.settle(
                script.route(new LockCommand.Release(JOB, ID, LEASE, Duration.ZERO)), new LockReply.Released(true));
        LockReply.Granted later = new LockReply.Granted(GRANTED.token() + 1, LEASE);

        assertThat(script.settle(script.route(Script.acquisition()), later)).isEqualTo(later);
        TransferredLease asserted = asserted();
        assertThat(asserted.token()).isEqualTo(later.token());
        assertThat(asserted.minimumHoldOnly()).isFalse();
    }

    @Test
    void acquire_whoseReplyIsOfAnEarlierGrant_isGrantedTheLaterOne() {
        RoutedBatch earlier = script.route(Script.acquisition());
        LockReply.Granted later = new LockReply.Granted(GRANTED.token() + 1, LEASE);
        script.settle(script.route(Script.acquisition()), later);

        assertThat(script.settle(earlier, GRANTED)).isInstanceOfSatisfying(LockReply.Granted.class, reply -> {
            assertThat(reply.token()).isEqualTo(later.token());
            assertThat(reply.remaining()).isBetween(LEASE.minusSeconds(1), LEASE);
        });
        assertThat(asserted().token()).isEqualTo(later.token());
    }

    @Test
    void renewal_thatTheFormerPrimaryDoesNotKnow_doesNotEndALeaseOfALaterEpoch() {
        script.acquire();
        RoutedBatch inTermTwo = script.route(new LockCommand.Renew(JOB, ID, LEASE));
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));

        assertThat(RoutedBatch.isRetryable(script.settle(inTermTwo, GONE))).isTrue();
        assertThat(script.validFor()).isEqualTo(TIMING.lease());
    }

    @Test
    void renewal_thatThePrimaryInPowerDoesNotKnow_endsTheLease() {
        script.acquire();
        RoutedBatch inTermTwo = script.route(new LockCommand.Renew(JOB, ID, LEASE));

        assertThat(script.settle(inTermTwo, GONE)).isEqualTo(GONE);
        assertThat(script.validFor()).isZero();
    }

    @Test
    void confirmation_thatTheFormerPrimaryRefuses_doesNotEndALeaseOfALaterEpoch() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.acquire();
        script.learn(4, FailoverPhase.FAILING_BACK);
        script.learn(4, FailoverPhase.PRIMARY);
        StoreTask<?> confirmation = script.member.next(Target.PRIMARY, script.now());
        script.run(confirmation, (method, arguments) -> { // while its reply is on its way
            script.learn(5, FailoverPhase.DRAINING);
            script.run(Target.AUTHORITY, (asserting, leases) -> List.of(GRANTED));
            return List.of(GONE);
        });

        assertThat(script.validFor()).isEqualTo(TIMING.lease());
    }

    @Test
    void lease_thatIsGoneWhileItsAssertionIsOnItsWay_isReleasedWithATombstone() {
        script.acquire();
        RoutedBatch inTermTwo = script.route(new LockCommand.Renew(JOB, ID, LEASE));
        script.learn(3, FailoverPhase.DRAINING);
        script.member.next(Target.AUTHORITY, script.now()); // the assertion; its reply never comes
        script.settle(inTermTwo, GONE);

        LockCommand.Release released =
                (LockCommand.Release) script.route(Script.release()).sent().get(0);
        assertThat(released.tombstone()).isGreaterThanOrEqualTo(LEASE);
    }

    @Test
    void lease_neverLastsLongerThanItIsAsserted() {
        script.acquire();
        DualClockInstant end = script.now().endOf(LEASE);
        for (int reads = 0; reads < 17; reads++) { // nearly to its end
            script.learn(2, FailoverPhase.PRIMARY);
        }

        assertThat(script.validFor()).isEqualTo(end.leftAt(script.now())).isLessThan(TIMING.readInterval());
    }

    @Test
    void lease_assertedWhileTheWallClockIsAhead_endsWithItsRowThoughTheClockIsSetBack() {
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.setWallClock(Duration.ofSeconds(5)); // less than the authority lease has left
        TransferredLease asserted = assertedNow();
        DualClockInstant endOfRow = script.now().plus(asserted.remaining());
        script.setWallClock(Duration.ZERO);
        while (script.now().until(endOfRow).compareTo(Duration.ZERO) > 0) {
            script.learn(3, FailoverPhase.FALLBACK);
        }

        assertThat(script.validFor()).isZero();
    }

    private TransferredLease asserted() {
        script.learn(3, FailoverPhase.DRAINING);
        return assertedNow();
    }

    /** What the member asserts; the authority accepts it. */
    private TransferredLease assertedNow() {
        script.calls.clear();
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));
        List<?> leases = (List<?>) script.calls.get(0).arguments().get(1);
        assertThat(leases).hasSize(1);
        return (TransferredLease) leases.get(0);
    }

    private static LockReply.Granted granted(Duration remaining) {
        return new LockReply.Granted(GRANTED.token(), remaining);
    }
}
