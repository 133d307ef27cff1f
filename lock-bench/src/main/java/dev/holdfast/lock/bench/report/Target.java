package dev.holdfast.lock.bench.report;

import org.jspecify.annotations.Nullable;

/**
 * Something that was aimed at: a ratio of two figures of one run, or a figure by itself.
 *
 * @param what in words
 * @param isAtMost whether the limit is an upper one
 * @param limit that the value must not go beyond
 * @param value what was measured; null if it was not
 * @param basis the two figures, or why there is no value
 */
public record Target(
        String what,
        boolean isAtMost,
        double limit,
        @Nullable Double value,
        String basis) {

    /** Whether it was met; null if it was not measured. */
    public @Nullable Boolean met() {
        return value == null ? null : isMet(value);
    }

    boolean isMet(double measured) {
        return isAtMost ? measured <= limit : measured >= limit;
    }
}
