package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a turn goes from waiter to waiter, and how it ends. */
class HandOffTest extends ScriptedWaitQueue {

    @Test
    void theLockGoesFromWaiterToWaiterInTheirOrderAndThenBackToTheStore() {
        for (int i = 0; i < 5; i++) {
            ask(i, RENEWED);
        }
        granted(7);
        release(0);
        release(1);
        assertThat(scripted.isQuiet()).as("the store hears nothing of it").isTrue();
        release(2);

        assertThat(served).containsExactly(0, 1, 2);
        assertThat(tokens()).containsExactly(7L << 8, 7L << 8 | 1, 7L << 8 | 2);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        granted(8);
        assertThat(served).containsExactly(0, 1, 2, 3);
        assertThat(tokens()).last().isEqualTo(8L << 8);
    }

    @Test
    void aReleaseByHandOffSaysThatTheLockWasHeld() {
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        release(0);

        assertThat(ends).containsExactly(new ReleaseResult(true, true, null));
        assertThat(hold(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(hold(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(hold(0).release(Lane.CALLER, Duration.ZERO, ends::add))
                .as("a second release")
                .isFalse();
        assertThat(hold(1).state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aTurnEndsAfterTwentyMilliseconds() {
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        scripted.pass(Duration.ofMillis(20));
        release(0);

        scripted.expect(LockCommand.Release.class);
        assertThat(served).containsExactly(0);
    }

    @Test
    void onlyLikeIsHandedToLike() {
        List<LeaseOptions> unlike = List.of(
                new LeaseOptions(LEASE.plusSeconds(1), true, Duration.ZERO, CALL),
                new LeaseOptions(LEASE, false, Duration.ZERO, CALL),
                new LeaseOptions(LEASE, true, Duration.ofSeconds(1), CALL));
        for (LeaseOptions other : unlike) {
            expectNoHandOff(RENEWED, other);
            expectNoHandOff(other, RENEWED);
        }
        expectNoHandOff(unlike.get(1), unlike.get(1));
        expectNoHandOff(unlike.get(2), unlike.get(2));
    }

    private void expectNoHandOff(LeaseOptions first, LeaseOptions second) {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 3);
        outcomes.clear();
        served.clear();
        ask(0, first);
        ask(1, second);
        granted(7);
        release(0);
        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isEqualTo(first.minimumHold());
        assertThat(served).containsExactly(0);
    }

    @Test
    void anUnconfirmedLeaseIsNotHandedOn() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 16);
        LeaseOptions brief = new LeaseOptions(Duration.ofMillis(50), true, Duration.ZERO, Duration.ofMillis(10));
        ask(0, brief);
        ask(1, brief);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(new LockReply.Granted(7, Duration.ofMillis(50)));
        scripted.expect(LockCommand.Renew.class);
        scripted.answerNothing();
        assertThat(hold(0).state()).isEqualTo(LeaseState.UNCONFIRMED);
        release(0);

        assertThat(served).containsExactly(0);
        scripted.expect(LockCommand.Release.class);
    }

    @Test
    void aLossIsToldToThePresentHolderOnce() {
        List<String> told = new ArrayList<>();
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        hold(0).onLoss(loss -> told.add("first"));
        release(0);
        hold(1).onLoss(loss -> told.add("second"));
        hold(0).onLoss(loss -> told.add("first again"));

        scripted.expect(LockCommand.Renew.class);
        scripted.pass(LEASE);

        assertThat(told).containsExactly("second");
        assertThat(hold(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(hold(1).state()).isEqualTo(LeaseState.LOST);
        LockLostException loss = hold(1).loss();
        assertThat(loss).hasMessageContaining(Long.toString(7L << 8 | 1));
    }

    @Test
    void afterALossWhoeverWaitsAsksTheStore() {
        ask(0, RENEWED);
        granted(7);
        ask(1, RENEWED);
        assertThat(scripted.isQuiet()).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.answer(new LockReply.Gone());

        assertThat(hold(0).state()).isEqualTo(LeaseState.LOST);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        granted(9);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void aTurnThatTheStoreHasGivenToAnotherIsLostAndAnEarlierOneIsNone() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        ask(0, RENEWED);
        granted(7);
        ask(1, RENEWED);
        granted(6);
        assertThat(hold(0).state()).isEqualTo(LeaseState.HELD);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        granted(8);

        assertThat(hold(0).state()).isEqualTo(LeaseState.LOST);
        assertThat(hold(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void whoIsToldOfALossAtOnceFindsTheStoreAskedAlready() {
        ask(0, new LeaseOptions(LEASE, false, Duration.ZERO, CALL));
        granted(7);
        ask(1, RENEWED);
        scripted.suspend(LEASE);
        List<Boolean> asked = new ArrayList<>();
        hold(0).onLoss(loss -> asked.add(!scripted.isQuiet()));

        assertThat(asked).containsExactly(true);
    }
}
