package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An attempt that does not wait, beside the waiters of its process. */
class WaitQueueSingleAttemptTest extends ScriptedWaitQueue {

    @Test
    void whoAsksOnceIsRefusedWithoutTheStoreWhileTheLockIsHeldOrWaitedForHere() {
        ask(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        askOnce();
        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
        assertThat(scripted.isQuiet()).isTrue();

        scripted.pass(Duration.ofSeconds(5));
        granted(7);
        askOnce();
        assertThat(outcomes).last().isEqualTo(new AcquireResult.Busy());
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void whoAsksOnceNeverOvertakesWhoHasNotBeenAnsweredYet() {
        ask(0, RENEWED);
        askOnce();
        granted(7);

        assertThat(served).containsExactly(0);
        assertThat(outcomes).last().isEqualTo(new AcquireResult.Busy());
    }

    @Test
    void whoAsksOnceBehindWaitersOfASilentStoreIsToldOfTheSilence() {
        ask(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(CALL);
        scripted.answerNothing();
        askOnce();
        while (outcomes.isEmpty()) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.pass(Duration.ofSeconds(1));
            scripted.answerNothing();
        }

        assertThat(outcomes.get(0)).isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void aStoreThatAnswersAgainIsSilentNoMore() {
        ask(0, RENEWED, WaitPolicy.upTo(Duration.ofMinutes(1), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(3));
        scripted.answerNothing();
        for (int i = 0; i < 11; i++) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.answer(WAITING);
        }
        scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();
        assertThat(outcomes).as("silent for a moment").isEmpty();
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        scripted.pass(Duration.ofSeconds(5));

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }

    @Test
    void aShortWaitBehindAnAttemptThatTakesAMomentIsNoOutage() {
        ask(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        scripted.signal(Notification.ANY);
        ask(1, RENEWED, WaitPolicy.upTo(Duration.ofNanos(1), CALL));
        scripted.answer(WAITING);
        scripted.signal(Notification.ANY);
        scripted.pass(Duration.ofMillis(39));

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }

    @Test
    void whoAsksOnceWhenTheTurnIsOverButNobodyHasNoticedAsksTheStore() {
        ask(0, new LeaseOptions(LEASE, false, Duration.ZERO, CALL));
        granted(7);
        scripted.suspend(LEASE);
        askOnce();

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(hold(0).state()).isEqualTo(LeaseState.LOST);
    }
}
