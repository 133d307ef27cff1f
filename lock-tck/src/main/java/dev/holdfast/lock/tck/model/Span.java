package dev.holdfast.lock.tck.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of an instant that a history does not show exactly, in nanoseconds of the clock that recorded it. An instant that lies
 * after all of {@code now} must not have come yet, one that lies before all of it must have, and any other one may have.
 */
public record Span(long from, long to) {

    /** The tolerance for rounding: a store may count in milliseconds, and read its clock more than once. */
    private static final long ROUNDING = Duration.ofMillis(2).toNanos();

    /** The amount by which a store may promise less than the time left, as its clock may run in ticks. */
    private static final long COARSENESS = Duration.ofMillis(50).toNanos();

    /** The rate by which two clocks may differ. */
    private static final long SLEW = 1_000;

    /** The end of a span that is open; there is room for what {@link #plus} adds. */
    private static final long OPEN = Long.MAX_VALUE / 2;

    /** An instant that may still come, however late. */
    static Span openFrom(long from) {
        return new Span(from, OPEN);
    }

    boolean isOpen() {
        return to >= OPEN;
    }

    /** The same instant, which has come by now. */
    Span come(Span now) {
        return new Span(from, Math.max(from, Math.min(to, now.to)));
    }

    /** The instant that lies this much later by the store's clock. */
    Span plus(Duration duration) {
        long nanos = duration.toNanos();
        long tolerance = ROUNDING + nanos / SLEW;
        return new Span(from + nanos - tolerance, to + nanos + tolerance);
    }

    /** The end of a state with this much time left by the store's reply, which may promise less than the store keeps. */
    Span plusAtLeast(Duration remaining) {
        Span end = plus(remaining);
        return new Span(end.from, end.to + COARSENESS);
    }

    /** Whether it must have come at this time. */
    boolean mustHaveCome(Span now) {
        return to <= now.from;
    }

    /** Whether it may have come at this time. */
    boolean mayHaveCome(Span now) {
        return from <= now.to;
    }

    /** The bounds that satisfy both; null if they contradict each other. */
    @Nullable
    Span and(Span other) {
        long latestFrom = Math.max(from, other.from);
        long earliestTo = Math.min(to, other.to);
        return latestFrom <= earliestTo ? new Span(latestFrom, earliestTo) : null;
    }

    /** The bounds of both. */
    Span or(Span other) {
        return new Span(Math.min(from, other.from), Math.max(to, other.to));
    }

    /** The later of two instants. */
    Span orLater(Span other) {
        return new Span(Math.max(from, other.from), Math.max(to, other.to));
    }
}
