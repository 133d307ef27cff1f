package dev.holdfast.lock.spi.support;

import java.time.Duration;

/**
 * The end of a call, for stores that spend one timeout on several operations. Immutable.
 *
 * @param nanos the deadline on the scale of {@link System#nanoTime()}
 */
public record Deadline(long nanos) {

    private static final Duration LONGEST = Duration.ofDays(1);

    /** A deadline this long from now, at most a day. */
    public static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime() + Durations.min(timeout, LONGEST).toNanos());
    }

    /** The whole milliseconds left, rounded up; zero or less after the deadline. */
    public int millisLeft() {
        return (int) -Math.floorDiv(System.nanoTime() - nanos, 1_000_000L);
    }

    /** The deadline of the first of this many operations that share the remaining time evenly. */
    public Deadline share(int operations) {
        long now = System.nanoTime();
        return new Deadline(now + Math.max(0, nanos - now) / operations);
    }

    /** The earlier of this deadline and one this long from now. */
    public Deadline within(Duration limit) {
        Deadline sooner = in(limit);
        return sooner.nanos - nanos < 0 ? sooner : this;
    }

    /** Whether the deadline has passed. */
    public boolean isOver() {
        return nanos - System.nanoTime() <= 0;
    }
}
