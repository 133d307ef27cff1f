package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Common base of tests of a wait queue: an engine, and numbered callers that acquire one lock. */
abstract class ScriptedWaitQueue {

    static final LockName JOB = new LockName("job");
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration CALL = Duration.ofSeconds(3);
    static final LeaseOptions RENEWED = new LeaseOptions(LEASE, true, Duration.ZERO, CALL);
    static final LockReply QUEUED = new LockReply.Queued(Duration.ofSeconds(5));
    static final LockReply RELEASED = new LockReply.Released(true);
    static final Set<Capability> QUEUE_AND_NOTIFICATIONS = Set.of(Capability.QUEUE, Capability.NOTIFICATIONS);

    ScriptedEngine scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 3);
    final List<AcquireResult> outcomes = new ArrayList<>();
    final List<Integer> served = new ArrayList<>();
    final List<ReleaseResult> releaseResults = new ArrayList<>();

    final Waiter acquire(int number, LeaseOptions leaseOptions) {
        return acquire(number, leaseOptions, WaitPolicy.unlimited());
    }

    final Waiter acquire(int number, LeaseOptions leaseOptions, WaitPolicy waitPolicy) {
        return scripted.engine().acquire(JOB, leaseOptions, waitPolicy, Lane.CALLER, outcome -> {
            outcomes.add(outcome);
            if (outcome instanceof AcquireResult.Held) {
                served.add(number);
            }
        });
    }

    final void acquireOnce() {
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.once(CALL), Lane.CALLER, outcomes::add);
    }

    final void granted(long token) {
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(token, LEASE));
    }

    final LeaseHolder lease(int at) {
        return ((AcquireResult.Held) outcomes.get(at)).holder();
    }

    final List<Long> tokens() {
        return outcomes.stream()
                .map(outcome -> ((AcquireResult.Held) outcome).holder().fencingToken())
                .toList();
    }

    final void release(int at) {
        lease(at).release(Lane.CALLER, Duration.ZERO, releaseResults::add);
    }
}
