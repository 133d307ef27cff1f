package dev.holdfast.lock.cli.top;

import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.LockInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The locks at one instant.
 *
 * @param at the instant, by the clock of this machine
 * @param provider the provider of the store
 * @param failover the state of a composite; empty for another store
 * @param locks in the order of their names
 */
public record Snapshot(Instant at, String provider, Optional<FailoverStatus> failover, List<LockInfo> locks) {

    /** Copies the list. */
    public Snapshot {
        locks = List.copyOf(locks);
    }
}
