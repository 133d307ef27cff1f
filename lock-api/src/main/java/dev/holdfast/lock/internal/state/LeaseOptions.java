package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.Share;
import java.time.Duration;

/**
 * How a lock is to be held.
 *
 * @param length how long the lease lasts
 * @param renewed whether it is renewed until released
 * @param minimumHold how long other holders are kept out at least, though it is released earlier
 * @param callTimeout how long one call to the store may take; at most a third of the length
 * @param share the part of the lock
 */
public record LeaseOptions(Duration length, boolean renewed, Duration minimumHold, Duration callTimeout, Share share) {

    /** The shortest timeout of a call, even near the end of a wait or a lease: a shorter one would only overload the store. */
    static final Duration MIN_CALL = Duration.ofMillis(100);

    /** Of an exclusive lock. */
    public LeaseOptions(Duration length, boolean renewed, Duration minimumHold, Duration callTimeout) {
        this(length, renewed, minimumHold, callTimeout, Share.EXCLUSIVE);
    }

    /** The same for another share. */
    public LeaseOptions withShare(Share other) {
        return new LeaseOptions(length, renewed, minimumHold, callTimeout, other);
    }

    /** The same with another lease. */
    public LeaseOptions withLease(Duration other, boolean isRenewed, Duration timeout) {
        return new LeaseOptions(other, isRenewed, minimumHold, timeout, share);
    }

    /** The same with another minimum hold. */
    public LeaseOptions withMinimumHold(Duration other) {
        return new LeaseOptions(length, renewed, other, callTimeout, share);
    }
}
