package dev.holdfast.lock.redis.script;

import java.time.Duration;

/** What a server can hold of what a step may say. */
final class Limits {

    private static final int OWNER_LENGTH = 255;

    /** A century: what is longer is as good as for ever, and must not be too great a number for a script. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private Limits() {}

    /** Whole milliseconds, rounded up: nothing lasts less long than it was asked to. */
    static long millis(Duration duration) {
        return -Math.floorDiv(-bounded(duration).toNanos(), 1_000_000L);
    }

    /** Whole microseconds, rounded up. */
    static long micros(Duration duration) {
        return -Math.floorDiv(-bounded(duration).toNanos(), 1_000L);
    }

    private static Duration bounded(Duration duration) {
        return duration.compareTo(LONGEST) < 0 ? duration : LONGEST;
    }

    /** The beginning of what an owner says of itself; what no UTF-8 can hold becomes a question mark. */
    static String owner(String owner) {
        return owner.codePointCount(0, owner.length()) <= OWNER_LENGTH
                ? owner
                : owner.substring(0, owner.offsetByCodePoints(0, OWNER_LENGTH));
    }
}
