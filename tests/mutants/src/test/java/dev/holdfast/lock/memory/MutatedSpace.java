package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

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

    /** The lease of an exclusive lock; null if it has none. */
    static @Nullable MemoryLease lease(LockRecord lock) {
        return lock.leases.stream().filter(MemoryLease::isHeld).findFirst().orElse(null);
    }

    /** Gives an exclusive lock this lease instead of the one that it has; null for none. */
    static void hold(LockRecord lock, @Nullable MemoryLease lease) {
        lock.leases.removeIf(MemoryLease::isHeld);
        if (lease != null) {
            lock.leases.add(lease);
        }
    }

    static boolean isKept(LockRecord lock) {
        return lock.leases.stream().anyMatch(each -> !each.isHeld());
    }

    /** The end of the minimum hold of an exclusive lock; {@link Instant#MIN} if it has none. */
    static Instant keptUntil(LockRecord lock) {
        return lock.leases.stream()
                .filter(each -> !each.isHeld())
                .map(MemoryLease::until)
                .findFirst()
                .orElse(Instant.MIN);
    }

    /** Ends the minimum hold of an exclusive lock, and begins another one if this is no end in the past. */
    static void keep(LockRecord lock, Instant until) {
        lock.leases.removeIf(each -> !each.isHeld());
        if (until.isAfter(Instant.MIN)) {
            lock.leases.add(new MemoryLease(
                    new AcquisitionId(0, 0), "", Share.EXCLUSIVE, 1, Instant.EPOCH, Duration.ZERO, until, false));
        }
    }
}
