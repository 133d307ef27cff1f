package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.Outcome;
import dev.holdfast.lock.spi.LockName;

/** One question to the engine, and what may come of it. */
final class Asked {

    private final Checker checker;
    private final LockName name;
    private final SimulatedStore store;
    private final int outage;
    private final Network network;
    private boolean ended;

    Asked(Checker checker, LockName name, SimulatedStore store, Network network) {
        this.checker = checker;
        this.name = name;
        this.store = store;
        this.outage = store.outage();
        this.network = network;
    }

    LockName name() {
        return name;
    }

    void ended(Outcome outcome) {
        checker.that(!ended, "P5: '%s' had its outcome, and then %s", name, outcome);
        ended = true;
        checker.that(
                !network.isNew() || !(outcome instanceof Outcome.Unavailable),
                "P6: nothing has failed yet, but '%s' ended with %s",
                name,
                outcome);
        boolean neverUp = outage != 0 && outage == store.outage();
        checker.that(
                !neverUp || outcome instanceof Outcome.Unavailable || outcome instanceof Outcome.Withdrawn,
                "P6: '%s' ended with %s though the store was down all the while",
                name,
                outcome);
    }
}
