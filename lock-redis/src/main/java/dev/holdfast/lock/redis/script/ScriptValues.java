package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.support.Durations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The values of commands as arguments of scripts, fitted into what a script can represent. */
final class ScriptValues {

    private static final int OWNER_LENGTH = 255;

    /** A century: as good as for ever, and still a number that a script can add to. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private ScriptValues() {}

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] number(long number) {
        return text(Long.toString(number));
    }

    static byte[] id(AcquisitionId id) {
        return text(id.toString());
    }

    static byte[] millis(Duration duration) {
        return number(wholeMillis(duration));
    }

    /** Rounded up: nothing lasts shorter than requested. */
    static long wholeMillis(Duration duration) {
        return -Math.floorDiv(-Durations.min(duration, LONGEST).toNanos(), 1_000_000L);
    }

    /** Whole microseconds, rounded up. */
    static byte[] micros(Duration duration) {
        return number(-Math.floorDiv(-Durations.min(duration, LONGEST).toNanos(), 1_000L));
    }

    /** The beginning of an owner's text. */
    static byte[] owner(String owner) {
        return text(
                owner.codePointCount(0, owner.length()) <= OWNER_LENGTH
                        ? owner
                        : owner.substring(0, owner.offsetByCodePoints(0, OWNER_LENGTH)));
    }
}
