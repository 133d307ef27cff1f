package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import java.time.Duration;
import java.time.Instant;

/**
 * The store's side of a lease.
 *
 * @param id who holds the lock
 * @param owner what the holder said of itself
 * @param token the number of this grant, the same for as long as it lasts
 * @param since when it was granted
 * @param length how long it was last asked to last
 * @param until when it ends unless renewed
 */
record Grant(AcquisitionId id, String owner, long token, Instant since, Duration length, Instant until) {

    boolean isOver(Instant now) {
        return !now.isBefore(until);
    }

    LockInfo.Holder holder() {
        return new LockInfo.Holder(id, owner, token, since, until);
    }

    /** Lasts until then at least. */
    Grant renewed(Duration newLength, Instant newUntil) {
        return newUntil.isAfter(until) ? new Grant(id, owner, token, since, newLength, newUntil) : this;
    }
}
