package dev.holdfast.lock.spi.failover;

import java.time.Duration;

/**
 * An instant on this process's two clocks. Neither serves alone: {@link System#nanoTime()} may stand still while the machine
 * is suspended, and the wall clock may be set back.
 *
 * @param nanos the monotonic clock, from an arbitrary origin
 * @param wallMillis the wall clock, since 1970
 */
public record DualClockInstant(long nanos, long wallMillis) {

    /** The clocks of two machines may differ in rate by this much: a lease counts as over one thousandth early. */
    private static final int CLOCK_SLACK = 1000;

    /** This long after this moment, on both clocks; a fraction of a millisecond of the wall clock is dropped. */
    public DualClockInstant plus(Duration duration) {
        return new DualClockInstant(nanos + duration.toNanos(), wallMillis + duration.toMillis());
    }

    /** Until when a lease is valid of which this much remained when a store was asked, after this moment. */
    public DualClockInstant endOf(Duration remaining) {
        long nanos = remaining.toNanos();
        return plus(Duration.ofNanos(nanos - nanos / CLOCK_SLACK));
    }

    /** This one or that one, whichever comes later by the monotonic clock. */
    public DualClockInstant later(DualClockInstant other) {
        return nanos - other.nanos > 0 ? this : other;
    }

    /** This one or that one, whichever comes sooner, by each clock. */
    public DualClockInstant sooner(DualClockInstant other) {
        return new DualClockInstant(
                nanos - other.nanos < 0 ? nanos : other.nanos, Math.min(wallMillis, other.wallMillis));
    }

    /** How long it takes to get there from {@code now}, by whichever clock gets there first; negative once it has passed. */
    public Duration after(DualClockInstant now) {
        long byNanos = nanos - now.nanos;
        long byWall = (wallMillis - now.wallMillis) * 1_000_000L;
        return Duration.ofNanos(Math.min(byNanos, byWall));
    }

    /** Whether it has not come yet, by either clock. */
    public boolean isAfter(DualClockInstant now) {
        return nanos - now.nanos > 0 && wallMillis > now.wallMillis;
    }

    /** How long it took from here, by the monotonic clock. */
    public Duration until(DualClockInstant now) {
        return Duration.ofNanos(now.nanos - nanos);
    }
}
