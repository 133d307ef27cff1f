package dev.holdfast.lock.bench.report;

import org.jspecify.annotations.Nullable;

/**
 * A limit for the ratio of two figures of one run, or for a single figure.
 *
 * @param what in words
 * @param isAtMost whether the limit is an upper one
 * @param value the measured value; null if there is none
 * @param basis the figures behind the value, or the reason why there is none
 */
public record Target(
        String what,
        boolean isAtMost,
        double limit,
        @Nullable Double value,
        String basis) {

    /** Whether the target is met; null if nothing was measured. */
    public @Nullable Boolean met() {
        if (value == null) {
            return null;
        }
        return isAtMost ? value <= limit : value >= limit;
    }
}
