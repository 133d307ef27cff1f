package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;

/**
 * The renewals of one lease: when the next one is due, and what its reply changes. One is under way at a time, so that none
 * overtakes another. Changed under the lock of the name only.
 */
final class LeaseRenewal {

    /** A renewal is due after a third of the lease, so that there is time to repeat it before the end. */
    private static final int FIRST = 3;

    /** A renewal that was not answered is repeated after a twelfth of the lease. */
    private static final int REPEATED = 12;

    /** A renewal may come sooner by this part of the lease, but by 33 ms at most, to share a call with others. */
    private static final int SLACK = 512;

    private static final long MAX_SLACK_NANOS = 1L << 25;

    private final Engine engine;
    private final WaitQueue queue;
    private final StoreLease lease;

    // An instant, in numbers: a new object at each renewal would cost the garbage collector more than the renewal.
    private long dueNanos;
    private long dueWallNanos;
    private boolean sent;

    LeaseRenewal(Engine engine, WaitQueue queue, StoreLease lease) {
        this.engine = engine;
        this.queue = queue;
        this.lease = lease;
    }

    /**
     * Schedules the next renewal, after the store has confirmed this much of the lease. That is less than the length if the reply is to
     * a repetition.
     *
     * @param sentAt an instant before the request was sent
     */
    void confirmed(DualClockInstant sentAt, Duration remaining) {
        Duration confirmed = Durations.min(remaining, lease.options().length());
        setDue(sentAt.plus(Duration.ofNanos(confirmed.toNanos() / FIRST)));
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

    /** Whether a renewal is on its way. */
    boolean isSent() {
        return sent;
    }

    void sendIfDue(DeferredActions actions) {
        LeaseOptions options = lease.options();
        if (!sent && due().after(actions.now()).toNanos() < slackNanos(options.length())) {
            sent = true;
            actions.send(Lane.RENEWAL, lease.renewCommand(options.length()), options.callTimeout(), this::answered);
        }
    }

    private void answered(StoreResponse response) {
        DeferredActions actions = queue.begin();
        try {
            sent = false;
            if (lease.isHeldNow(actions)) {
                take(response, actions);
            }
        } finally {
            actions.run();
        }
    }

    private void take(StoreResponse response, DeferredActions actions) {
        LockReply reply = response.reply();
        if (reply instanceof LockReply.Unavailable unavailable) {
            Duration pause = lease.options().length().dividedBy(REPEATED);
            setDue(actions.now().plus(engine.newBackoff().spread(pause)));
            lease.unconfirmed(unavailable.cause(), actions);
        } else if (lease.isConfirmedBy(reply, actions) && reply instanceof LockReply.Granted granted) {
            confirmed(response.sent(), granted.remaining());
            lease.confirmed(response.sent(), granted.remaining(), actions);
        }
        if (lease.isHeldNow(actions)) {
            lease.setTimer(actions);
        }
    }
}
