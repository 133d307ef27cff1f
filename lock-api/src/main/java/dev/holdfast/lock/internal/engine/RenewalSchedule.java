package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.time.Duration;

/** When the renewals of a lease are due. */
final class RenewalSchedule {

    /** After a third of the lease, so that there is time to repeat it before the end. */
    private static final int FIRST = 3;

    private static final int REPEATED = 12;

    /** By so much of the lease, but no more than 33 ms, a renewal may come sooner, to share a call with others. */
    private static final int SLACK = 512;

    private static final long MAX_SLACK_NANOS = 1L << 25;

    private RenewalSchedule() {}

    /** After a third of what was confirmed, which is less than the length if a repetition confirmed it. */
    static DualClockInstant first(DualClockInstant sent, Duration remaining, Duration length) {
        Duration confirmed = remaining.compareTo(length) < 0 ? remaining : length;
        return sent.plus(Duration.ofNanos(confirmed.toNanos() / FIRST));
    }

    /** After a renewal that was not answered. */
    static DualClockInstant repeated(DualClockInstant now, Duration length, Backoff backoff) {
        return now.plus(backoff.spread(length.dividedBy(REPEATED)));
    }

    /** A power of two, so that renewals of leases of different lengths share calls, too. */
    static long slackNanos(Duration length) {
        return Math.max(1, Math.min(MAX_SLACK_NANOS, Long.highestOneBit(length.toNanos() / SLACK)));
    }
}
