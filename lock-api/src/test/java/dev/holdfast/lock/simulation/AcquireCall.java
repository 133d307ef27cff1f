package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.spi.LockName;

/** One call of acquire on the engine, and the outcomes it may have. */
final class AcquireCall {

    private final Checker checker;
    private final ArrivalOrder order;
    private final SimulatedProcess process;
    private final LockName name;
    private final long since;
    private final boolean queues;
    private final SimulatedStore store;
    private final int outage;
    private final Network network;
    /** Other callers of the process came first: the engine knows without the store that this one waits. */
    private final boolean behindOthers;

    private boolean ended;

    AcquireCall(
            Checker checker,
            ArrivalOrder order,
            SimulatedProcess process,
            LockName name,
            long since,
            boolean queues,
            SimulatedStore store,
            Network network) {
        this.checker = checker;
        this.order = order;
        this.process = process;
        this.name = name;
        this.since = since;
        this.queues = queues;
        this.store = store;
        this.outage = store.outage();
        this.network = network;
        this.behindOthers = checker.isHeldBy(process, name) || order.anyWaits(process, name);
        order.began(this);
    }

    LockName name() {
        return name;
    }

    /** The time of the call. */
    long since() {
        return since;
    }

    /** Whether the call waits while the lock is busy. */
    boolean queues() {
        return queues;
    }

    SimulatedProcess process() {
        return process;
    }

    void ended(AcquireResult outcome) {
        checker.that(!ended, "P5: '%s' had its outcome, and then %s", name, outcome);
        ended = true;
        checker.that(
                !network.isNew() || !(outcome instanceof AcquireResult.Unavailable),
                "P6: nothing has failed yet, but '%s' ended with %s",
                name,
                outcome);
        boolean neverUp = outage != 0 && outage == store.outage();
        checker.that(
                !neverUp
                        || behindOthers
                        || outcome instanceof AcquireResult.Unavailable
                        || outcome instanceof AcquireResult.Withdrawn,
                "P6: '%s' ended with %s though the store was down all the while",
                name,
                outcome);
        order.ended(this, outcome instanceof AcquireResult.Held, network.isNew());
    }
}
