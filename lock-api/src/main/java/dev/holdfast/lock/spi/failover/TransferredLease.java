package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;

/**
 * A lease in transfer from one store to the other. Several of one lock are in transfer at the same time only if their shares are
 * {@linkplain Share#areCompatible compatible}.
 *
 * @param name the lock
 * @param id the acquisition that holds it
 * @param token the token of its grant, which stays the same
 * @param age the time since the grant
 * @param remaining the time left
 * @param minimumHoldOnly whether the lease was released and the lock is only busy for the minimum hold
 * @param owner the holder's description of itself
 * @param share the share that it has, or that its minimum hold keeps
 */
public record TransferredLease(
        LockName name,
        AcquisitionId id,
        long token,
        Duration age,
        Duration remaining,
        boolean minimumHoldOnly,
        String owner,
        Share share) {}
