package dev.holdfast.lock.spi;

import java.time.Duration;

/** The durations that commands and replies accept. */
public final class DurationLimits {

    /** The longest duration, a hundred years. The nanoseconds of two of these fit into a long. */
    public static final Duration MAX = Duration.ofDays(36_500);

    private DurationLimits() {}

    static void requireMeasurable(Duration duration, String what) {
        if (duration.isNegative() || duration.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(what + " is 0 to " + MAX.toDays() + "d, not " + duration);
        }
    }
}
