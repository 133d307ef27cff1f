package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;

/** Fits the values of commands into what a script can represent. */
final class ScriptLimits {

    private static final int OWNER_LENGTH = 255;

    /** A century: as good as for ever, and still a number that a script can add to. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private ScriptLimits() {}

    /** Whole milliseconds, rounded up: nothing lasts shorter than requested. */
    static long millis(Duration duration) {
        return -Math.floorDiv(-Durations.min(duration, LONGEST).toNanos(), 1_000_000L);
    }

    /** Whole microseconds, rounded up. */
    static long micros(Duration duration) {
        return -Math.floorDiv(-Durations.min(duration, LONGEST).toNanos(), 1_000L);
    }

    /** The beginning of an owner's text. */
    static String owner(String owner) {
        return owner.codePointCount(0, owner.length()) <= OWNER_LENGTH
                ? owner
                : owner.substring(0, owner.offsetByCodePoints(0, OWNER_LENGTH));
    }
}
