package dev.holdfast.lock.internal.state;

import java.time.Duration;

/**
 * How a lock is to be held.
 *
 * @param length how long the lease lasts
 * @param renewed whether it is renewed until released
 * @param minimumHold how long other holders are kept out at least, though it is released earlier
 * @param callTimeout how long one call to the store may take; at most a third of the length
 */
public record LeaseOptions(Duration length, boolean renewed, Duration minimumHold, Duration callTimeout) {

    /** The shortest timeout of a call, even near the end of a wait or a lease: a shorter one would only overload the store. */
    static final Duration MIN_CALL = Duration.ofMillis(100);
}
