package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a lease is renewed, when it ends, and who is told. */
class RenewalTest extends ScriptedCaller {

    @Test
    void aLeaseCountsFromBeforeTheAttemptThatWasAnswered() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(10));
        scripted.answer(GRANTED);

        assertThat(held().remaining()).isEqualTo(LEASE.minusSeconds(10).minusMillis(30));
    }

    @Test
    void anEndedLeaseLeavesNoTimerHoweverLongItWouldHaveLasted() {
        LeaseOptions aDay = new LeaseOptions(Duration.ofDays(1), true, Duration.ZERO, CALL);
        for (int token = 1; token <= 5_000; token++) {
            ask(aDay, WaitPolicy.unlimited());
            scripted.expect(LockCommand.Acquire.class);
            scripted.answer(new LockReply.Granted(token, aDay.length()));
            assertThat(held().release(Lane.CALLER, Duration.ZERO, ends::add)).isTrue();
            scripted.expect(LockCommand.Release.class);
            scripted.answer(new LockReply.Released(true));
            outcomes.clear();
            scripted.pass(Duration.ofMillis(50));

            assertThat(scripted.timers()).as("timers after %s leases", token).isLessThan(100);
        }
        scripted.pass(Duration.ofSeconds(3));
        assertThat(scripted.timers()).isZero();
    }

    @Test
    void aRenewalIsDueAfterAThirdAndRepeatedUntilTheEnd() {
        Holder grant = granted();
        List<LockLostException> losses = new ArrayList<>();
        grant.onLoss(losses::add);

        scripted.pass(Duration.ofMillis(9_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Renew.class);
        scripted.answerNothing();
        assertThat(grant.state()).isEqualTo(LeaseState.UNCONFIRMED);
        scripted.expect(LockCommand.Renew.class);
        scripted.answer(GRANTED);
        assertThat(grant.state()).isEqualTo(LeaseState.HELD);
        scripted.expect(LockCommand.Renew.class);

        scripted.pass(LEASE);
        assertThat(losses).as("the renewal hangs, the loss is told").hasSize(1);
        assertThat(grant.state()).isEqualTo(LeaseState.LOST);
        scripted.answer(GRANTED);
        assertThat(grant.state()).as("a late renewal changes nothing").isEqualTo(LeaseState.LOST);
        assertThat(losses).hasSize(1);
    }

    @Test
    void listenersHearOfALossBeforeTheGrantThatFollowsIt() {
        List<String> heard = new ArrayList<>();
        scripted.engine().addListener(new LockListener() {
            @Override
            public void acquired(String name, long fencingToken, Duration waited) {
                heard.add("acquired " + fencingToken / LockReply.Granted.HOLDERS_PER_GRANT);
            }

            @Override
            public void lost(String name, long fencingToken, LockLostException loss) {
                heard.add("lost " + fencingToken / LockReply.Granted.HOLDERS_PER_GRANT);
            }
        });
        granted().onLoss(loss -> {
            ask(WaitPolicy.unlimited());
            while (scripted.expect(LockCommand.class) instanceof LockCommand.Renew) {
                scripted.answerNothing();
            }
            scripted.answer(new LockReply.Granted(8, LEASE));
        });
        scripted.pass(LEASE);

        assertThat(heard).containsExactly("acquired 7", "lost 7", "acquired 8");
    }

    @Test
    void aRenewalThatFindsNothingIsALossAtOnce() {
        Holder grant = granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.answer(new LockReply.Gone());

        assertThat(grant.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aFixedLeaseIsNotRenewedAndEndsByItself() {
        ask(new LeaseOptions(LEASE, false, Duration.ZERO, CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(GRANTED);

        scripted.pass(LEASE.minusMillis(31));
        assertThat(scripted.isQuiet()).isTrue();
        assertThat(held().state()).isEqualTo(LeaseState.HELD);
        scripted.pass(Duration.ofMillis(31));
        assertThat(held().state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aRenewalOfAGrantThatWasRepeatedIsDueAfterAThirdOfWhatRemains() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(new LockReply.Granted(7, Duration.ofSeconds(6)));

        scripted.pass(Duration.ofSeconds(2));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Renew.class);
    }

    @Test
    void aRenewalThatIsConfirmedForLessIsBelieved() {
        Holder grant = granted();
        scripted.expect(LockCommand.Renew.class);
        scripted.answer(new LockReply.Granted(7, Duration.ofSeconds(1)));

        assertThat(grant.remaining()).isEqualTo(Duration.ofMillis(999));
    }

    @Test
    void aLossIsToldWithinASecondAfterTheMachineWasSuspended() {
        ask(new LeaseOptions(Duration.ofHours(1), false, Duration.ZERO, CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(new LockReply.Granted(7, Duration.ofHours(1)));
        List<LockLostException> losses = new ArrayList<>();
        held().onLoss(losses::add);
        scripted.pass(Duration.ofMinutes(1));

        scripted.suspend(Duration.ofHours(2));

        assertThat(losses).isEmpty();
        scripted.pass(Duration.ofSeconds(1));
        assertThat(losses).hasSize(1);
    }
}
