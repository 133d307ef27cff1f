package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockCommand;
import java.time.Duration;
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

    static LockCommand.Release withMinimumHold(LockCommand.Release command, Duration minimumHold) {
        return new LockCommand.Release(command.name(), command.id(), minimumHold, command.tombstone(), command.share());
    }

    static LockCommand.Release withTombstone(LockCommand.Release command, Duration tombstone) {
        return new LockCommand.Release(command.name(), command.id(), command.minimumHold(), tombstone, command.share());
    }

    /** The same lease with this end, even if it is sooner. */
    static MemoryLease lasting(MemoryLease lease, Duration length, Instant until) {
        return new MemoryLease(lease.id(), lease.owner(), lease.token(), lease.since(), length, until);
    }
}
