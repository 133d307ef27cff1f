package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What tests of a line have in common: an engine, and who asks it for one lock. */
abstract class ScriptedWaitQueue {

    static final LockName JOB = new LockName("job");
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration CALL = Duration.ofSeconds(3);
    static final LeaseOptions RENEWED = new LeaseOptions(LEASE, true, Duration.ZERO, CALL);
    static final LockReply WAITING = new LockReply.Queued(Duration.ofSeconds(5));
    static final LockReply RELEASED = new LockReply.Released(true);
    static final Set<Capability> QUEUE_AND_SIGNALS = Set.of(Capability.QUEUE, Capability.NOTIFICATIONS);

    ScriptedEngine scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 3);
    final List<AcquireResult> outcomes = new ArrayList<>();
    final List<Integer> served = new ArrayList<>();
    final List<ReleaseResult> ends = new ArrayList<>();

    final Waiter ask(int number, LeaseOptions terms) {
        return ask(number, terms, WaitPolicy.unlimited());
    }

    final Waiter ask(int number, LeaseOptions terms, WaitPolicy patience) {
        return scripted.engine().acquire(JOB, terms, patience, Lane.CALLER, outcome -> {
            outcomes.add(outcome);
            if (outcome instanceof AcquireResult.Held) {
                served.add(number);
            }
        });
    }

    final void askOnce() {
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.once(CALL), Lane.CALLER, outcomes::add);
    }

    final void granted(long token) {
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(new LockReply.Granted(token, LEASE));
    }

    final Holder hold(int at) {
        return Holder.of(outcomes.get(at));
    }

    final List<Long> tokens() {
        return outcomes.stream()
                .map(outcome -> Holder.of(outcome).fencingToken())
                .toList();
    }

    final void release(int at) {
        hold(at).release(Lane.CALLER, Duration.ZERO, ends::add);
    }
}
