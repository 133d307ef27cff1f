package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.Ended;
import dev.holdfast.lock.internal.Hold;
import dev.holdfast.lock.internal.Outcome;
import dev.holdfast.lock.internal.Patience;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.internal.Terms;
import dev.holdfast.lock.internal.Waiter;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What tests of a line have in common: an engine, and who asks it for one lock. */
abstract class ScriptedLine {

    static final LockName JOB = new LockName("job");
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration CALL = Duration.ofSeconds(3);
    static final Terms RENEWED = new Terms(LEASE, true, Duration.ZERO, CALL);
    static final Answer WAITING = new Answer.Waiting(Duration.ofSeconds(5));
    static final Answer RELEASED = new Answer.Released(true);
    static final Set<Capability> QUEUE_AND_SIGNALS = Set.of(Capability.QUEUE, Capability.SIGNALS);

    ScriptedEngine scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 3);
    final List<Outcome> outcomes = new ArrayList<>();
    final List<Integer> served = new ArrayList<>();
    final List<Ended> ends = new ArrayList<>();

    final Waiter ask(int number, Terms terms) {
        return ask(number, terms, Patience.unlimited());
    }

    final Waiter ask(int number, Terms terms, Patience patience) {
        return scripted.engine().ask(JOB, terms, patience, Lane.CALLER, outcome -> {
            outcomes.add(outcome);
            if (outcome instanceof Outcome.Held) {
                served.add(number);
            }
        });
    }

    final void askOnce() {
        scripted.engine().ask(JOB, RENEWED, Patience.none(CALL), Lane.CALLER, outcomes::add);
    }

    final void granted(long token) {
        scripted.expect(Step.Acquire.class);
        scripted.answer(new Answer.Granted(token, LEASE));
    }

    final Hold hold(int at) {
        return ((Outcome.Held) outcomes.get(at)).hold();
    }

    final List<Long> tokens() {
        return outcomes.stream()
                .map(outcome -> ((Outcome.Held) outcome).hold().applicationToken())
                .toList();
    }

    final void release(int at) {
        hold(at).release(Lane.CALLER, Duration.ZERO, ends::add);
    }
}
