package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What exactly the engine asks of a store: what the random simulation sees only in its consequences. */
class EngineTest extends ScriptedCaller {

    @Test
    void anUnansweredAttemptIsRepeatedByTheSameId() {
        ask(WaitPolicy.unlimited());
        LockCommand.Acquire first = scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();

        assertThat(scripted.expect(LockCommand.Acquire.class)).isEqualTo(first);
    }

    @Test
    void whoGivesUpAfterAnUnansweredAttemptHasItsIdReleasedAndRemembered() {
        Waiter asking = ask(WaitPolicy.unlimited());
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();
        asking.withdraw();

        LockCommand.Release release = scripted.expect(LockCommand.Release.class);
        assertThat(release).isEqualTo(new LockCommand.Release(JOB, asked.id(), Duration.ZERO, LEASE));
        scripted.answerNothing();
        assertThat(scripted.expect(LockCommand.Release.class))
                .as("repeated until answered")
                .isEqualTo(release);
        scripted.answer(new LockReply.Released(false));
        scripted.pass(Duration.ofMinutes(2));
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void whoGivesUpWhileAnAttemptIsOnItsWayHasItsGrantReleased() {
        Waiter asking = ask(WaitPolicy.unlimited());
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        asking.withdraw();
        assertThat(scripted.expect(LockCommand.Acquire.class))
                .as("nothing before the answer")
                .isSameAs(asked);
        scripted.answer(GRANTED);

        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, asked.id(), Duration.ZERO, Duration.ZERO));
        assertThat(outcomes).containsExactly(new AcquireResult.Withdrawn());
    }

    @Test
    void aDefiniteNoLeavesNothingToUndo() {
        Waiter asking = ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(BUSY);
        asking.withdraw();

        scripted.pass(Duration.ofMinutes(1));
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void aNoAfterAnUnansweredAttemptStillHasTheIdRemembered() {
        ask(WaitPolicy.once(CALL));
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(BUSY);

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, asked.id(), Duration.ZERO, LEASE));
    }

    @Test
    void anIdThatIsOverIsNeverAskedForAgain() {
        ask(WaitPolicy.unlimited());
        LockCommand.Acquire first = scripted.expect(LockCommand.Acquire.class);
        scripted.answer(new LockReply.Gone());

        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isNotEqualTo(first.id());
    }

    @Test
    void aGrantThatComesWhenItsLeaseIsOverIsNoGrant() {
        ask(WaitPolicy.unlimited());
        LockCommand.Acquire first = scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(5));
        scripted.answer(new LockReply.Granted(7, Duration.ofSeconds(5)));

        assertThat(outcomes).isEmpty();
        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(first.id());
        scripted.answer(new LockReply.Released(false));
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isNotEqualTo(first.id());
    }

    @Test
    void aGrantThatNeverGotToItsCallerIsNotKeptForItsMinimum() {
        Waiter asking = ask(new LeaseOptions(LEASE, true, Duration.ofMinutes(5), CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        asking.withdraw();
        scripted.answer(GRANTED);

        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isZero();
    }

    @Test
    void aShortWaitOnAStoreThatAnswersIsNoOutage() {
        ask(WaitPolicy.upTo(Duration.ofMillis(3), CALL));
        scripted.pass(Duration.ofMillis(5));
        scripted.answer(GRANTED);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Held.class);

        outcomes.clear();
        ScriptedEngine other = new ScriptedEngine();
        other.engine().acquire(JOB, RENEWED, WaitPolicy.upTo(Duration.ofMillis(200), CALL), Lane.CALLER, outcomes::add);
        other.answer(new LockReply.Busy(Duration.ofSeconds(11)));
        other.pass(Duration.ofMillis(200));
        assertThat(outcomes).as("the pause was the store's own advice").containsExactly(new AcquireResult.Busy());
    }

    @Test
    void onlyACallThatItsCallerWaitsForIsCutToTheWait() {
        ask(WaitPolicy.unlimited());
        for (int attempt = 0; attempt < 50; attempt++) {
            scripted.expect(LockCommand.Acquire.class);
            assertThat(scripted.timeout()).isEqualTo(CALL);
            scripted.answer(new LockReply.Busy(Duration.ofSeconds(1)));
        }
        ScriptedEngine other = new ScriptedEngine();
        other.engine().acquire(JOB, RENEWED, WaitPolicy.upTo(Duration.ofSeconds(1), CALL), Lane.CALLER, outcomes::add);
        other.expect(LockCommand.Acquire.class);
        assertThat(other.timeout()).isEqualTo(Duration.ofSeconds(1));
        other.answer(BUSY);
        other.expect(LockCommand.Acquire.class);
        assertThat(other.timeout()).isEqualTo(CALL);
    }

    @Test
    void anOutageAtTheEndOfAWaitDoesNotPassForBusy() {
        ask(WaitPolicy.upTo(Duration.ofSeconds(3), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(BUSY);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();
        scripted.pass(Duration.ofSeconds(3));

        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void whoAsksOnceIsToldEvenIfEveryAnswerIsUseless() {
        ask(WaitPolicy.once(CALL));
        while (outcomes.isEmpty()) {
            scripted.expect(LockCommand.class);
            scripted.answer(new LockReply.Gone());
        }
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void aSilentStoreIsUnavailableAndABusyOneIsNot() {
        ask(WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(5));
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);

        ScriptedEngine other = new ScriptedEngine();
        outcomes.clear();
        other.engine().acquire(JOB, RENEWED, WaitPolicy.upTo(Duration.ofSeconds(5), CALL), Lane.CALLER, outcomes::add);
        other.expect(LockCommand.Acquire.class);
        other.pass(Duration.ofSeconds(3));
        other.answer(BUSY);
        other.pass(Duration.ofSeconds(2));
        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }
}
