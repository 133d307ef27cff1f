package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;

/**
 * When the next renewal of a lease is due. One is under way at a time, so that none overtakes another. Changed under the lock of the
 * name only.
 */
final class LeaseRenewal {

    /** A renewal is due after a third of the lease, so that there is time to repeat it before the end. */
    private static final int FIRST = 3;

    /** A renewal that was not answered is repeated after a twelfth of the lease. */
    private static final int REPEATED = 12;

    /** A renewal may come sooner by this part of the lease, but by 33 ms at most, to share a call with others. */
    private static final int SLACK = 512;

    private static final long MAX_SLACK_NANOS = 1L << 25;

    // An instant, in numbers: a new object at each renewal would cost the garbage collector more than the renewal.
    private long dueNanos;
    private long dueWallNanos;
    private boolean sent;

    /**
     * Schedules the next renewal, after the store has confirmed this much of the lease. That is less than the length if the reply is to
     * a repetition.
     *
     * @param sentAt an instant before the request was sent
     */
    void confirmed(DualClockInstant sentAt, Duration remaining, Duration length) {
        setDue(sentAt.plus(Duration.ofNanos(Durations.min(remaining, length).toNanos() / FIRST)));
    }

    /** Schedules a repetition, after a renewal was not answered. */
    void unanswered(Duration length, Backoff backoff, DualClockInstant now) {
        setDue(now.plus(backoff.spread(length.dividedBy(REPEATED))));
    }

    private void setDue(DualClockInstant due) {
        dueNanos = due.nanos();
        dueWallNanos = due.wallNanos();
    }

    private DualClockInstant due() {
        return new DualClockInstant(dueNanos, dueWallNanos);
    }

    /** The next renewal, or the end of the lease if that comes first. */
    DualClockInstant nextBefore(DualClockInstant end) {
        DualClockInstant due = due();
        return !sent && end.isAfter(due) ? due : end;
    }

    /** A power of two, so that renewals of leases of different lengths share calls, too. */
    static long slackNanos(Duration length) {
        return Math.max(1, Math.min(MAX_SLACK_NANOS, Long.highestOneBit(length.toNanos() / SLACK)));
    }

    boolean isDue(Duration length, DualClockInstant now) {
        return !sent && due().leftAt(now).toNanos() < slackNanos(length);
    }

    /** Whether a renewal is on its way. */
    boolean isSent() {
        return sent;
    }

    void sent() {
        sent = true;
    }

    /** The one that was on its way has its reply, or got none in time. */
    void replied() {
        sent = false;
    }
}
