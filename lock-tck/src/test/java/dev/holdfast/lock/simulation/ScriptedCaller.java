package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.Ended;
import dev.holdfast.lock.internal.Hold;
import dev.holdfast.lock.internal.Outcome;
import dev.holdfast.lock.internal.Patience;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.internal.Terms;
import dev.holdfast.lock.internal.Waiter;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What tests of a single caller have in common: an engine that asks the test, and what came of it. */
abstract class ScriptedCaller {

    static final LockName JOB = new LockName("job");
    static final LockName OTHER = new LockName("other");
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration CALL = Duration.ofSeconds(3);
    static final Terms RENEWED = new Terms(LEASE, true, Duration.ZERO, CALL);
    static final Answer BUSY = new Answer.Busy(Duration.ofMillis(50));
    static final Answer GRANTED = new Answer.Granted(7, LEASE);

    final ScriptedEngine scripted = new ScriptedEngine();
    final List<Outcome> outcomes = new ArrayList<>();
    final List<Ended> ends = new ArrayList<>();

    final Hold granted() {
        ask(Patience.unlimited());
        scripted.expect(Step.Acquire.class);
        scripted.answer(GRANTED);
        return held();
    }

    final Hold held() {
        return ((Outcome.Held) outcomes.get(0)).hold();
    }

    final Waiter ask(Patience patience) {
        return ask(RENEWED, patience);
    }

    final Waiter ask(Terms terms, Patience patience) {
        return scripted.engine().ask(JOB, terms, patience, Lane.CALLER, outcomes::add);
    }
}
