package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.GrantValidity;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What the names of one engine have in common.
 *
 * @param holderName what the store shows as the holder
 * @param capabilities what the store can do
 * @param turn how long local holders may have a lock one after the other before other processes have their turn
 * @param tokenFloor what every token of the store is to be greater than; 0 for no such floor
 * @param validity what grants depend on besides their own time
 * @param random for ids and for spreading repetitions
 */
public record EngineSettings(
        String holderName,
        Set<Capability> capabilities,
        TurnLimits turn,
        long tokenFloor,
        GrantValidity validity,
        LongSupplier random) {

    /** Whether each waiter has a place of its own in the store's queue. */
    boolean isStrict() {
        return turn.holders() == 1 && capabilities.contains(Capability.QUEUE);
    }

    boolean hasNotifications() {
        return capabilities.contains(Capability.NOTIFICATIONS);
    }

    LockCommand.Acquire acquireCommand(LockName name, AcquisitionId id, LeaseOptions options, boolean queues) {
        boolean place = queues && capabilities.contains(Capability.QUEUE);
        return new LockCommand.Acquire(name, id, options.length(), place, tokenFloor, holderName, options.share());
    }

    AcquisitionId newId() {
        return new AcquisitionId(random.getAsLong(), random.getAsLong());
    }

    public Backoff newBackoff() {
        return new Backoff(random);
    }
}
