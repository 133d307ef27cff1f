package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Common base of tests with a single caller: an engine whose store is the test, and the outcomes. */
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
    final List<ReleaseResult> releaseResults = new ArrayList<>();

    final LeaseHolder granted() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        return held();
    }

    final LeaseHolder held() {
        return ((AcquireResult.Held) outcomes.get(0)).holder();
    }

    final Waiter acquire(WaitPolicy waitPolicy) {
        return acquire(RENEWED, waitPolicy);
    }

    final Waiter acquire(LeaseOptions leaseOptions, WaitPolicy waitPolicy) {
        return scripted.engine().acquire(JOB, leaseOptions, waitPolicy, Lane.CALLER, outcomes::add);
    }
}
