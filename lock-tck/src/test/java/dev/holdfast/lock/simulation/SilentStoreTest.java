package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Callers hear of a silent store in time, though no reply comes: their steps may be behind thousands of others. */
class SilentStoreTest extends ScriptedCaller {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);
    private static final LeaseOptions FIXED = new LeaseOptions(Duration.ofSeconds(6), false, Duration.ZERO, SECOND);

    @Test
    void aCallerWithoutALimitIsToldWithinElevenSeconds() {
        ask(WaitPolicy.unlimited());

        scripted.pass(Duration.ofSeconds(10));
        assertThat(outcomes).isEmpty();
        scripted.pass(SECOND);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
        assertThat(scripted.timers()).isZero();
    }

    @Test
    void aCallerIsToldOfTheLatestFailureThoughNoOtherReplyComes() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(SECOND);
        scripted.answerNothing();
        scripted.expect(LockCommand.Acquire.class);

        scripted.pass(Duration.ofSeconds(10));
        assertThat(outcomes).singleElement().isInstanceOfSatisfying(AcquireResult.Unavailable.class, unavailable -> {
            assertThat(unavailable.message()).contains("no answer");
            assertThat(unavailable.cause()).hasMessage("no answer");
        });
    }

    @Test
    void aCallerThatAsksOnceIsToldSoonAfterTheTimeOfACall() {
        ask(WaitPolicy.once(CALL));

        scripted.pass(CALL);
        assertThat(outcomes).isEmpty();
        scripted.pass(SECOND);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void whatIsGrantedToACallerThatWasToldIsGivenBack() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(11));
        scripted.answer(GRANTED);

        assertThat(scripted.expect(LockCommand.Release.class).name()).isEqualTo(JOB);
        assertThat(scripted.lane()).isEqualTo(Lane.CLEANUP);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void aCallerThatWaitsForAnotherOfItsProcessHearsOfNoSilence() {
        granted();
        outcomes.clear();
        ask(WaitPolicy.unlimited());

        for (int renewal = 0; renewal < 10; renewal++) {
            scripted.expect(LockCommand.Renew.class);
            scripted.answer(GRANTED);
        }
        assertThat(outcomes).isEmpty();
    }

    @Test
    void aStoreThatAnswersNowAndThenIsNotSilent() {
        ask(WaitPolicy.unlimited());

        for (int attempt = 0; attempt < 10; attempt++) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.pass(Duration.ofSeconds(9));
            scripted.answer(BUSY);
        }
        assertThat(outcomes).isEmpty();
    }

    @Test
    void aReleaseIsToldWithinElevenSecondsAndRepeated() {
        Holder grant = granted();
        grant.release(Lane.CALLER, RELEASE_PATIENCE, ends::add);
        LockCommand first = scripted.expect(LockCommand.Release.class);

        scripted.pass(Duration.ofSeconds(10));
        assertThat(ends).isEmpty();
        scripted.pass(SECOND);
        assertThat(ends).singleElement().matches(end -> !end.answered());
        scripted.answerNothing();
        assertThat(scripted.expect(LockCommand.Release.class))
                .as("it is repeated")
                .isEqualTo(first);
        assertThat(scripted.lane()).isEqualTo(Lane.CLEANUP);
        scripted.answer(new LockReply.Released(true));

        scripted.pass(LEASE);
        assertThat(scripted.isQuiet()).isTrue();
        assertThat(scripted.timers()).isZero();
        assertThat(ends).hasSize(1);
    }

    @Test
    void aReleaseThatIsAttemptedOnceIsToldSoonAfterTheTimeOfACall() {
        granted().release(Lane.CALLER, Duration.ZERO, ends::add);

        scripted.pass(CALL);
        assertThat(ends).isEmpty();
        scripted.pass(SECOND);
        assertThat(ends).singleElement().matches(end -> !end.answered());
    }

    @Test
    void releasesThatNothingWaitsForAreOnALaneOfTheirOwnAndNoMoreThanSoMany() {
        List<AcquireResult> granted = new ArrayList<>();
        for (int number = 0; number < 50_010; number++) {
            scripted.engine()
                    .acquire(new LockName("n" + number), FIXED, WaitPolicy.unlimited(), Lane.CALLER, granted::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.answer(new LockReply.Granted(1, FIXED.length()));
        }
        LeaseOptions kept = new LeaseOptions(FIXED.length(), false, FIXED.length(), SECOND);
        scripted.engine().acquire(JOB, kept, WaitPolicy.unlimited(), Lane.CALLER, granted::add);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(new LockReply.Granted(1, FIXED.length()));

        scripted.pass(Duration.ofSeconds(7));

        assertThat(granted)
                .hasSize(50_011)
                .allMatch(outcome -> Holder.of(outcome).state() == LeaseState.LOST);
        int releases = 0;
        boolean ofTheKept = false;
        for (; !scripted.isQuiet(); releases++) {
            assertThat(scripted.lane()).isEqualTo(Lane.CLEANUP);
            ofTheKept |= scripted.expect(LockCommand.Release.class).name().equals(JOB);
            scripted.answer(new LockReply.Released(false));
        }
        assertThat(releases).isBetween(50_000, 50_001);
        assertThat(ofTheKept).as("what keeps a minimum hold is never left out").isTrue();
    }
}
