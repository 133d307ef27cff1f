package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Duration;
import java.time.Instant;

/**
 * The store's side of a lease.
 *
 * @param id who holds the lock
 * @param token the number of this grant, the same for as long as it lasts
 * @param since when it was granted
 * @param length how long it was last asked to last
 * @param until when it ends unless renewed
 */
record Grant(AcquisitionId id, long token, Instant since, Duration length, Instant until) {

    boolean isOver(Instant now) {
        return !now.isBefore(until);
    }

    /** Lasts until then at least. */
    Grant renewed(Duration newLength, Instant newUntil) {
        return newUntil.isAfter(until) ? new Grant(id, token, since, newLength, newUntil) : this;
    }
}
