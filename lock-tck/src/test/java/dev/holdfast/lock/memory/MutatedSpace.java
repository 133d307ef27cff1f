package dev.holdfast.lock.memory;

import java.time.Instant;

/** What mutants of the store's state extend: the reference, told of what happens to it. */
class MutatedSpace extends MemorySpace {

    MutatedSpace() {
        this(Instant.now(), System.nanoTime());
    }

    private MutatedSpace(Instant start, long startNanos) {
        super(() -> start.plusNanos(System.nanoTime() - startNanos));
    }

    /** The kit restarts the store. */
    void restarted() {}

    /** The kit has idle names pruned. */
    void pruned() {}
}
