package dev.holdfast.lock.spi.support;

import java.time.Duration;

/** The minimum and maximum of durations. */
public final class Durations {

    private Durations() {}

    /** The shorter one. */
    public static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /** The longer one. */
    public static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
