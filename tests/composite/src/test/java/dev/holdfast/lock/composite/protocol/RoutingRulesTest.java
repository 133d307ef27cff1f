package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.GRANTED;
import static dev.holdfast.lock.composite.protocol.Script.ID;
import static dev.holdfast.lock.composite.protocol.Script.JOB;
import static dev.holdfast.lock.composite.protocol.Script.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantsSuspendedException;
import dev.holdfast.lock.spi.failover.Membership;
import dev.holdfast.lock.spi.failover.StaleTermException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where commands go while no store grants, and which replies of the stores end a lease: rules 3 to 5 of PROTOCOL.md. */
class RoutingRulesTest {

    private static final LockReply ANOTHER = new LockReply.Granted(GRANTED.token() + 1, LEASE);

    private final Script script = new Script();

    @Test
    void acquire_ofAHeldLeaseInAFailback_isGrantedWithTheTimeLeft() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.acquire();
        script.learn(4, FailoverPhase.FAILING_BACK);

        assertThat(acquireWithoutAStore()).isInstanceOfSatisfying(LockReply.Granted.class, reply -> {
            assertThat(reply.token()).isEqualTo(GRANTED.token());
            assertThat(reply.remaining()).isLessThan(LEASE);
        });
    }

    @Test
    void acquire_ofALeaseThatIsOverInAFailback_waits() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.acquire();
        for (long slept = 0; slept < LEASE.toSeconds(); slept += 3) {
            script.learn(3, FailoverPhase.FALLBACK);
        }
        script.learn(4, FailoverPhase.FAILING_BACK);

        assertThat(RoutedBatch.isRetryable(acquireWithoutAStore())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acquire_whileGrantsDrain_hasNoPlaceInAQueueThatCouldMakeTheLockLookBusy(boolean queue) {
        script.learn(2, FailoverPhase.PRIMARY);
        script.learn(3, FailoverPhase.DRAINING);

        assertThat(withoutAStore(new LockCommand.Acquire(JOB, ID, LEASE, queue, 0, "test")))
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        reply -> assertThat(reply.cause())
                                .isInstanceOf(GrantsSuspendedException.class)
                                .hasMessageContaining("no store grants locks during the transition to epoch 3"));
    }

    private LockReply acquireWithoutAStore() {
        return withoutAStore(Script.acquisition());
    }

    private LockReply withoutAStore(LockCommand command) {
        RoutedBatch acquire = script.route(command);
        assertThat(acquire.sent()).isEmpty();
        return script.settle(acquire, GRANTED);
    }

    /** The authority does not know the lease yet, and its reply would end it. */
    @Test
    void renewal_beforeTheLeaseIsAsserted_isSentToNoStore() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        RoutedBatch renewal = script.route(new LockCommand.Renew(JOB, ID, LEASE));

        assertThat(renewal.sent()).isEmpty();
        assertThat(script.settle(renewal, GRANTED)).isInstanceOf(LockReply.Unavailable.class);
    }

    @Test
    void renewal_thatConfirmsAnotherGrant_endsTheLease() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.settle(script.route(new LockCommand.Renew(JOB, ID, LEASE)), ANOTHER);

        assertThat(script.validFor()).isZero();
    }

    @Test
    void assertion_thatConfirmsAnotherGrant_endsTheLease() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(ANOTHER));

        assertThat(script.validFor()).isZero();
    }

    @Test
    void confirmation_thatArrivesAfterALaterGrantOfTheId_leavesThatGrant() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.acquire();
        script.learn(4, FailoverPhase.FAILING_BACK);
        script.learn(4, FailoverPhase.PRIMARY);
        script.run(Target.PRIMARY, (method, arguments) -> {
            script.settle(script.route(Script.acquisition()), ANOTHER);
            return List.of(GRANTED);
        });

        assertThat(script.validFor()).isPositive();
    }

    @Test
    void acquire_thatALaterEpochConfirms_isNotTransferredAnyMore() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.acquire();
        script.learn(4, FailoverPhase.FAILING_BACK);
        script.learn(4, FailoverPhase.PRIMARY);
        script.settle(script.route(Script.acquisition()), GRANTED);
        script.calls.clear();
        script.run(Target.PRIMARY, (method, arguments) -> {
            throw new IllegalStateException("a test wants it");
        });

        assertThat(script.calls).extracting(Script.Call::method).containsExactly("health");
    }

    @Test
    void assertion_thatFails_isRepeatedAfterAPause() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(Target.AUTHORITY, (method, arguments) -> {
            throw new IllegalStateException("a test wants it");
        });

        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isFalse();
        script.learn(3, FailoverPhase.DRAINING);
        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED)))
                .isTrue();
    }

    @Test
    void assertion_thatIsStale_hasTheAuthorityStateReadAtOnce() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        script.learn(3, FailoverPhase.DRAINING);
        script.run(
                Target.AUTHORITY,
                (method, arguments) -> List.of(new LockReply.Unavailable(new StaleTermException("a test wants it"))));

        assertThat(script.member.isUrgent()).isTrue();
    }

    @Test
    void command_thatItsStoreRefuses_hasTheAuthorityStateReadAtOnce() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.settle(
                script.route(Script.acquisition()),
                new LockReply.Unavailable(new StaleTermException("a test wants it")));

        assertThat(script.member.isUrgent()).isTrue();
    }

    @Test
    void command_thatAFormerPrimaryRefuses_saysNothingAboutThePresentOne() {
        script.learn(2, FailoverPhase.PRIMARY);
        RoutedBatch inTermTwo = script.route(Script.acquisition());
        script.learn(4, FailoverPhase.PRIMARY);
        script.settle(inTermTwo, new LockReply.Unavailable(new StaleTermException("a test wants it", true)));
        script.learn(4, FailoverPhase.PRIMARY);

        assertThat(script.events).extracting(FailoverEvent::kind).containsExactly(FailoverEvent.Kind.PRIMARY_ACTIVE);
    }

    @Test
    void failure_ofAFormerTerm_saysNothingAboutThePresentOne() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.settle(
                script.route(Script.acquisition()),
                new LockReply.Unavailable(new IllegalStateException("a test wants it")));
        script.learn(4, FailoverPhase.PRIMARY);
        script.pass(Script.TIMING.readInterval());
        script.run(
                Target.AUTHORITY,
                (method, arguments) -> new AuthorityReading(Script.authorityState(4, FailoverPhase.PRIMARY), 1, 0));

        assertThat(script.calls)
                .singleElement()
                .satisfies(read -> assertThat(((Membership) read.arguments().get(0)).suspectedEpoch())
                        .isZero());
    }

    /** It would overtake the acquire. */
    @Test
    void release_behindAnAcquireThatWaitsForTheState_waitsAsWell() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.pass(Script.TIMING.lease());

        assertThat(script.member
                        .route(List.of(Script.acquisition(), Script.release()), script.now())
                        .sent())
                .isEmpty();
    }

    @Test
    void command_thatItsStoreRefuses_isRoutedAgainAfterATransitionOnly() {
        script.learn(2, FailoverPhase.PRIMARY);
        RoutedBatch batch = script.route(Script.acquisition());
        List<LockReply> refused =
                List.of(script.settle(batch, new LockReply.Unavailable(new StaleTermException("a test wants it"))));
        script.learn(2, FailoverPhase.PRIMARY);
        assertThat(script.member.hasNewsSince(batch, refused)).isFalse();

        script.learn(3, FailoverPhase.DRAINING);
        assertThat(script.member.hasNewsSince(batch, refused)).isTrue();
    }

    /** Only a settled lease is handed on to another waiter of the process. */
    @Test
    void lease_isSettledOnlyWhileTheStoreThatConfirmedItGrants() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        assertThat(isSettled()).isTrue();
        script.learn(3, FailoverPhase.DRAINING);
        assertThat(isSettled()).isFalse();
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(GRANTED));
        assertThat(isSettled()).isFalse();
        script.learn(3, FailoverPhase.FALLBACK);
        assertThat(isSettled()).isTrue();
        script.learn(4, FailoverPhase.FAILING_BACK);
        assertThat(isSettled()).isFalse();
    }

    private boolean isSettled() {
        return script.member.isSettled(JOB, ID, script.now());
    }
}
