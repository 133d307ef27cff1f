package dev.holdfast.lock.spi.time;

import java.time.Duration;
import java.time.Instant;

/**
 * An instant on this process's two clocks. Neither serves alone: {@link System#nanoTime()} may stand still while the machine
 * is suspended, and the wall clock may be set back.
 *
 * <p>Both clocks count nanoseconds: a coarser wall clock would end a lease up to one of its units before the time that was
 * promised.
 *
 * @param nanos the monotonic clock, from an arbitrary origin
 * @param wallNanos the wall clock, since 1970
 */
public record DualClockInstant(long nanos, long wallNanos) {

    /** The clocks of two machines may differ in rate by this much: a lease counts as over one thousandth early. */
    private static final int CLOCK_SLACK = 1000;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /**
     * An instant on both clocks.
     *
     * @param nanos the monotonic clock, from an arbitrary origin
     * @param wall the wall clock
     */
    public static DualClockInstant of(long nanos, Instant wall) {
        return new DualClockInstant(nanos, wall.getEpochSecond() * NANOS_PER_SECOND + wall.getNano());
    }

    /** The instant this much later, on both clocks. */
    public DualClockInstant plus(Duration duration) {
        long length = duration.toNanos();
        return new DualClockInstant(nanos + length, wallNanos + length);
    }

    /** The end of a lease that had {@code remaining} left at this instant, minus clock slack. */
    public DualClockInstant endOf(Duration remaining) {
        long nanos = remaining.toNanos();
        return plus(Duration.ofNanos(nanos - nanos / CLOCK_SLACK));
    }

    /** The later of the two instants, by the monotonic clock. */
    public DualClockInstant later(DualClockInstant other) {
        return nanos - other.nanos > 0 ? this : other;
    }

    /** The sooner of the two instants, on each clock by itself. */
    public DualClockInstant sooner(DualClockInstant other) {
        return new DualClockInstant(
                nanos - other.nanos < 0 ? nanos : other.nanos,
                wallNanos - other.wallNanos < 0 ? wallNanos : other.wallNanos);
    }

    /** The time left at {@code now}, by the faster clock; negative once this instant has passed. */
    public Duration leftAt(DualClockInstant now) {
        return Duration.ofNanos(Math.min(nanos - now.nanos, wallNanos - now.wallNanos));
    }

    /** Whether neither clock has reached this instant at {@code now}: exactly if {@link #leftAt} is positive. */
    public boolean isAfter(DualClockInstant now) {
        return nanos - now.nanos > 0 && wallNanos - now.wallNanos > 0;
    }

    /** The time from this instant to {@code now}, by the monotonic clock. */
    public Duration until(DualClockInstant now) {
        return Duration.ofNanos(now.nanos - nanos);
    }
}
