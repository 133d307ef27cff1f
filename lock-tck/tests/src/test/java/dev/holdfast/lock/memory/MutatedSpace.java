package dev.holdfast.lock.memory;

import java.time.Instant;

/** The superclass of mutants that change the state of a store. */
class MutatedSpace extends MemorySpace {

    MutatedSpace() {
        this(Instant.now(), System.nanoTime());
    }

    private MutatedSpace(Instant start, long startNanos) {
        super(() -> start.plusNanos(System.nanoTime() - startNanos));
    }

    /** Called when the kit restarts the store. */
    void restarted() {}

    /** Called when the kit prunes the store. */
    void pruned() {}
}
