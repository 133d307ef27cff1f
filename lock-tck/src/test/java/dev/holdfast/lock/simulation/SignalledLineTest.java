package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a line makes of the signals of a store. */
class SignalledLineTest extends ScriptedLine {

    @Test
    void aSignalHasItsWaiterAskAndNobodyElse() {
        ask(0, RENEWED);
        AcquisitionId id = scripted.expect(Step.Acquire.class).id();
        scripted.answer(WAITING);

        scripted.signal(Signal.to(JOB, new AcquisitionId(1, 2)));
        scripted.signal(Signal.to(new LockName("other"), id));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.signal(Signal.to(JOB, id));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.answer(WAITING);
        scripted.signal(Signal.ANY);
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void aSignalThatComesBeforeTheAnswerIsNotLost() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        scripted.signal(Signal.ANY);
        scripted.signal(Signal.ANY);
        scripted.answer(WAITING);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.answer(WAITING);
        assertThat(scripted.isQuiet()).as("once").isTrue();
    }

    @Test
    void aLostSignalCostsTimeOnly() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        scripted.pass(Duration.ofMillis(4_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void aStoreThatCannotSignalIsTriedAgainNowAndThen() {
        scripted.deafen(true);
        for (int i = 0; i < 20; i++) {
            LockName name = new LockName("job-" + i);
            scripted.engine().acquire(name, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
            scripted.expect(Step.Acquire.class);
            scripted.answer(new Answer.Waiting(Duration.ofHours(1)));
        }
        assertThat(scripted.subscriptions()).isEqualTo(1);
        scripted.pass(Duration.ofSeconds(25));
        assertThat(scripted.subscriptions()).isEqualTo(3);

        scripted.deafen(false);
        scripted.pass(Duration.ofSeconds(10));
        assertThat(scripted.listens()).isTrue();
        scripted.pass(Duration.ofMinutes(1));
        assertThat(scripted.subscriptions()).isEqualTo(4);
    }

    @Test
    void nobodyListensOnceNobodyHasWaitedForAWhile() {
        Waiter waiter = ask(0, RENEWED);
        assertThat(scripted.listens()).isFalse();
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        assertThat(scripted.listens()).isTrue();
        waiter.withdraw();
        scripted.expect(Step.Release.class);
        scripted.answer(new Answer.Released(false));
        scripted.pass(Duration.ofMinutes(1));

        assertThat(scripted.listens()).isFalse();
    }
}
