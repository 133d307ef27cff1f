package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.Ended;
import dev.holdfast.lock.internal.Hold;
import dev.holdfast.lock.internal.Outcome;
import dev.holdfast.lock.internal.Patience;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.internal.Terms;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What exactly the engine asks of a store to end a lease, and what its caller is told. */
class EngineReleaseTest extends ScriptedCaller {

    @Test
    void whoeverWaitsForAReleaseIsToldWhenTheEngineIsAbandoned() {
        Hold grant = granted();
        grant.release(Lane.CALLER, Duration.ofSeconds(10), ends::add);
        scripted.expect(Step.Release.class);
        scripted.engine().close(() -> {});
        scripted.engine().abandon();

        assertThat(ends).singleElement().extracting(Ended::answered).isEqualTo(false);
    }

    @Test
    void aReleaseSaysWhetherItWasHeldAlsoWhenAnAnswerWasLost() {
        Hold grant = granted();
        grant.release(Lane.CALLER, Duration.ofSeconds(10), ends::add);
        scripted.expect(Step.Release.class);
        scripted.answerNothing();
        scripted.expect(Step.Release.class);
        scripted.answer(new Answer.Released(false));

        assertThat(ends).containsExactly(new Ended(true, true, null));
    }

    @Test
    void aReleaseThatFoundNothingSaysSo() {
        Hold grant = granted();
        grant.release(Lane.CALLER, Duration.ofSeconds(10), ends::add);
        scripted.expect(Step.Release.class);
        scripted.answer(new Answer.Released(false));

        assertThat(ends).containsExactly(new Ended(true, false, null));
        assertThat(grant.release(Lane.CALLER, Duration.ZERO, ends::add))
                .as("a second release")
                .isFalse();
    }

    @Test
    void anUnansweredReleaseIsRepeatedAfterItsCallerWasTold() {
        Hold grant = granted();
        grant.release(Lane.CALLER, Duration.ZERO, ends::add);
        Step.Release release = scripted.expect(Step.Release.class);
        scripted.answerNothing();

        assertThat(ends).singleElement().extracting(Ended::answered).isEqualTo(false);
        assertThat(scripted.expect(Step.Release.class)).isEqualTo(release);
    }

    @Test
    void theReleaseOfAGrantWithAnUnansweredAttemptHasTheIdRemembered() {
        ask(Patience.unlimited());
        scripted.expect(Step.Acquire.class);
        scripted.answerNothing();
        scripted.expect(Step.Acquire.class);
        scripted.answer(GRANTED);
        held().release(Lane.CALLER, Duration.ZERO, ends::add);

        assertThat(scripted.expect(Step.Release.class).remember()).isEqualTo(LEASE);
    }

    @Test
    void aMinimumHoldGoesWithTheRelease() {
        ask(new Terms(LEASE, true, Duration.ofMinutes(5), CALL), Patience.unlimited());
        scripted.expect(Step.Acquire.class);
        scripted.answer(GRANTED);
        held().release(Lane.CALLER, Duration.ZERO, ends::add);

        assertThat(scripted.expect(Step.Release.class).keep()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void closingEndsWhoWaitsReleasesWhatIsHeldAndTakesNoMore() {
        Hold grant = granted();
        scripted.engine().ask(OTHER, RENEWED, Patience.unlimited(), Lane.CALLER, outcomes::add);
        scripted.expect(Step.Acquire.class);
        scripted.answer(BUSY);
        boolean[] settled = new boolean[1];
        scripted.engine().close(() -> settled[0] = true);

        assertThat(outcomes).last().isEqualTo(new Outcome.Closed());
        assertThat(grant.state()).isEqualTo(LeaseState.RELEASED);
        scripted.expect(Step.Release.class);
        assertThat(settled[0]).isFalse();
        scripted.answer(new Answer.Released(true));
        assertThat(settled[0]).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> ask(Patience.unlimited()));
    }
}
