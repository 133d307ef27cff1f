package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;

/**
 * A grant as its holder sees it.
 *
 * @param sent the holder's {@link System#nanoTime} before it sent the acquire
 * @param received the same after it received the reply
 */
record HeldLock(
        LockName name, AcquisitionId id, Share share, long token, Duration remaining, long sent, long received) {

    /** A grant of an exclusive lock. */
    HeldLock(LockName name, AcquisitionId id, long token, Duration remaining, long sent, long received) {
        this(name, id, Share.EXCLUSIVE, token, remaining, sent, received);
    }

    /** The instant before which no other id may be granted the lock: the remaining time, from when the acquire was sent. */
    long validUntil() {
        return notBefore(remaining);
    }

    /** The instant before which this much time cannot have passed at the store since the grant. */
    long notBefore(Duration sinceGrant) {
        return sent + Kit.slewed(sinceGrant);
    }
}
