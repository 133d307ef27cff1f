package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;

/**
 * A grant as its holder sees it.
 *
 * @param sent the holder's {@link System#nanoTime} before it asked
 * @param received the same after it was answered
 */
record Held(LockName name, AcquisitionId id, long token, Duration remaining, long sent, long received) {

    /** The instant until which nobody else may be granted the lock: what was answered, from before it was asked. */
    long validUntil() {
        return notBefore(remaining);
    }

    /** The instant before which so much time cannot have passed at the store since the grant. */
    long notBefore(Duration sinceGrant) {
        return sent + Kit.slewed(sinceGrant);
    }
}
