package dev.holdfast.lock.simulation;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The reference store on virtual time; while it is down, nothing reaches it. */
class SimulatedStore {

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final LockStore store;
    private int outages;
    private boolean down;

    SimulatedStore(VirtualTime time) {
        store = new MemorySpace(() -> BEGINNING.plusNanos(time.now())).open();
    }

    void goDown() {
        outages += down ? 0 : 1;
        down = true;
    }

    void comeUp() {
        down = false;
    }

    /** The number of the outage that lasts; zero if it is up. */
    int outage() {
        return down ? outages : 0;
    }

    boolean isDown() {
        return down;
    }

    Answer carryOut(Step step) {
        return store.apply(List.of(step), Duration.ofSeconds(1)).get(0);
    }
}
