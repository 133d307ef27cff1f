package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What exactly the engine asks of a store to end a lease, and what its caller is told. */
class EngineReleaseTest extends ScriptedCaller {

    @Test
    void whoeverWaitsForAReleaseIsToldWhenTheEngineIsAbandoned() {
        Holder grant = granted();
        grant.release(Lane.CALLER, Duration.ofSeconds(10), ends::add);
        scripted.expect(LockCommand.Release.class);
        scripted.engine().close(() -> {});
        scripted.engine().abandon();

        assertThat(ends).singleElement().extracting(ReleaseResult::answered).isEqualTo(false);
    }

    @Test
    void aReleaseSaysWhetherItWasHeldAlsoWhenAnAnswerWasLost() {
        Holder grant = granted();
        grant.release(Lane.CALLER, Duration.ofSeconds(10), ends::add);
        scripted.expect(LockCommand.Release.class);
        scripted.answerNothing();
        scripted.expect(LockCommand.Release.class);
        scripted.answer(new LockReply.Released(false));

        assertThat(ends).containsExactly(new ReleaseResult(true, true, null));
    }

    @Test
    void aReleaseThatFoundNothingSaysSo() {
        Holder grant = granted();
        grant.release(Lane.CALLER, Duration.ofSeconds(10), ends::add);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(new LockReply.Released(false));

        assertThat(ends).containsExactly(new ReleaseResult(true, false, null));
        assertThat(grant.release(Lane.CALLER, Duration.ZERO, ends::add))
                .as("a second release")
                .isFalse();
    }

    @Test
    void anUnansweredReleaseIsRepeatedAfterItsCallerWasTold() {
        Holder grant = granted();
        grant.release(Lane.CALLER, Duration.ZERO, ends::add);
        LockCommand.Release release = scripted.expect(LockCommand.Release.class);
        scripted.answerNothing();

        assertThat(ends).singleElement().extracting(ReleaseResult::answered).isEqualTo(false);
        assertThat(scripted.expect(LockCommand.Release.class)).isEqualTo(release);
    }

    @Test
    void theReleaseOfAGrantWithAnUnansweredAttemptHasTheIdRemembered() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(GRANTED);
        held().release(Lane.CALLER, Duration.ZERO, ends::add);

        assertThat(scripted.expect(LockCommand.Release.class).tombstone()).isEqualTo(LEASE);
    }

    @Test
    void aMinimumHoldGoesWithTheRelease() {
        ask(new LeaseOptions(LEASE, true, Duration.ofMinutes(5), CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(GRANTED);
        held().release(Lane.CALLER, Duration.ZERO, ends::add);

        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void closingEndsWhoWaitsReleasesWhatIsHeldAndTakesNoMore() {
        Holder grant = granted();
        scripted.engine().acquire(OTHER, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(BUSY);
        boolean[] settled = new boolean[1];
        scripted.engine().close(() -> settled[0] = true);

        assertThat(outcomes).last().isEqualTo(new AcquireResult.Closed());
        assertThat(grant.state()).isEqualTo(LeaseState.RELEASED);
        scripted.expect(LockCommand.Release.class);
        assertThat(settled[0]).isFalse();
        scripted.answer(new LockReply.Released(true));
        assertThat(settled[0]).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> ask(WaitPolicy.unlimited()));
    }
}
