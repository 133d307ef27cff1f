package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;

/**
 * A lease in transfer from one store to the other.
 *
 * @param name the lock
 * @param id the acquisition that holds it
 * @param token the token of its grant, which stays the same
 * @param age the time since the grant
 * @param remaining the time left
 * @param minimumHoldOnly whether the lease was released and the lock is only busy for the minimum hold
 * @param owner the holder's description of itself
 */
public record TransferredLease(
        LockName name,
        AcquisitionId id,
        long token,
        Duration age,
        Duration remaining,
        boolean minimumHoldOnly,
        String owner) {}
