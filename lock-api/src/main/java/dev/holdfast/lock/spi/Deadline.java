package dev.holdfast.lock.spi;

import java.time.Duration;

/**
 * When a call has to be over: for stores, which are given a timeout and spend it on more than one thing.
 *
 * @param nanos on {@link System#nanoTime()}
 */
public record Deadline(long nanos) {

    private static final Duration LONGEST = Duration.ofDays(1);

    /** This long from now; a day at most. */
    public static Deadline in(Duration timeout) {
        Duration bounded = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
        return new Deadline(System.nanoTime() + bounded.toNanos());
    }

    /** Whole milliseconds until then, rounded up; zero or less once it is over. */
    public int millisLeft() {
        return (int) -Math.floorDiv(System.nanoTime() - nanos, 1_000_000L);
    }

    /** What each of so many gets if all that is left is divided evenly. */
    public Deadline share(int ofHowMany) {
        long now = System.nanoTime();
        return new Deadline(now + Math.max(0, nanos - now) / ofHowMany);
    }

    /** This one, or this long from now if that is sooner. */
    public Deadline within(Duration most) {
        Deadline sooner = in(most);
        return sooner.nanos - nanos < 0 ? sooner : this;
    }

    /** Whether it is over. */
    public boolean isOver() {
        return nanos - System.nanoTime() <= 0;
    }
}
