package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.Instant;

/**
 * A lease as the store keeps it, or the minimum hold of a holder that has released: then its share stays taken, without a holder.
 *
 * @param id the acquisition that has the share
 * @param owner the holder's description of itself
 * @param share the share that is taken
 * @param token stays the same until the lease ends
 * @param since when the share was granted
 * @param length the length that the last command asked for
 * @param until when the lease ends unless it is renewed, or the end of the minimum hold
 * @param isHeld false if only a minimum hold is left
 */
record MemoryLease(
        AcquisitionId id,
        String owner,
        Share share,
        long token,
        Instant since,
        Duration length,
        Instant until,
        boolean isHeld) {

    boolean isExpired(Instant now) {
        return !now.isBefore(until);
    }

    LockInfo.Holder holder() {
        return new LockInfo.Holder(id, owner, token, since, until, share);
    }

    /** The same lease with the later of the two ends. */
    MemoryLease renewed(Duration newLength, Instant newUntil) {
        return newUntil.isAfter(until) ? lasting(newLength, newUntil) : this;
    }

    /** The same lease with this end. */
    MemoryLease lasting(Duration newLength, Instant newUntil) {
        return new MemoryLease(id, owner, share, token, since, newLength, newUntil, isHeld);
    }

    /** The minimum hold of this length from the grant. */
    MemoryLease kept(Duration minimumHold) {
        return new MemoryLease(id, owner, share, token, since, length, since.plus(minimumHold), false);
    }
}
