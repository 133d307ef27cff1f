package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What tests of a single caller have in common: an engine that asks the test, and what came of it. */
abstract class ScriptedCaller {

    static final LockName JOB = new LockName("job");
    static final LockName OTHER = new LockName("other");
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration CALL = Duration.ofSeconds(3);
    static final LeaseOptions RENEWED = new LeaseOptions(LEASE, true, Duration.ZERO, CALL);
    static final LockReply BUSY = new LockReply.Busy(Duration.ofMillis(50));
    static final LockReply GRANTED = new LockReply.Granted(7, LEASE);

    final ScriptedEngine scripted = new ScriptedEngine();
    final List<AcquireResult> outcomes = new ArrayList<>();
    final List<ReleaseResult> ends = new ArrayList<>();

    final Holder granted() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(GRANTED);
        return held();
    }

    final Holder held() {
        return Holder.of(outcomes.get(0));
    }

    final Waiter ask(WaitPolicy patience) {
        return ask(RENEWED, patience);
    }

    final Waiter ask(LeaseOptions terms, WaitPolicy patience) {
        return scripted.engine().acquire(JOB, terms, patience, Lane.CALLER, outcomes::add);
    }
}
