package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import java.time.Duration;
import java.time.Instant;

/**
 * A lease as the store keeps it.
 *
 * @param id the acquisition that holds the lock
 * @param owner the holder's description of itself
 * @param token stays the same until the lease ends
 * @param since when the lock was granted
 * @param length the length that the last command asked for
 * @param until when the lease ends unless it is renewed
 */
record MemoryLease(AcquisitionId id, String owner, long token, Instant since, Duration length, Instant until) {

    boolean isExpired(Instant now) {
        return !now.isBefore(until);
    }

    LockInfo.Holder holder() {
        return new LockInfo.Holder(id, owner, token, since, until);
    }

    /** The same lease with the later of the two ends. */
    MemoryLease renewed(Duration newLength, Instant newUntil) {
        return newUntil.isAfter(until) ? new MemoryLease(id, owner, token, since, newLength, newUntil) : this;
    }
}
