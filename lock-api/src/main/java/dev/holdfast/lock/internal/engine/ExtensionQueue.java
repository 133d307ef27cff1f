package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.DurationText;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls of extend on one lease. One command is under way at a time, so that replies keep the order of the calls. Changed under
 * the lock of the name only.
 */
final class ExtensionQueue {

    /** The clocks of this process and of the store differ in rate by less than this part. */
    private static final int CLOCK_SLACK = 500;

    private final Engine engine;
    private final WaitQueue queue;
    private final StoreLease lease;
    private final Deque<LeaseExtension> extensions = new ArrayDeque<>(1);
    private Duration longest;

    /** @param length how long the lease lasts without an extension */
    ExtensionQueue(Engine engine, WaitQueue queue, StoreLease lease, Duration length) {
        this.engine = engine;
        this.queue = queue;
        this.lease = lease;
        this.longest = length;
    }

    /** How long the lease may last at the store, from now: an unanswered extension may have reached it. */
    Duration longest() {
        return longest;
    }

    void add(Duration length, Duration patience, Lane lane, Consumer<ExtendResult> callback, DeferredActions actions) {
        LeaseExtension extension = new LeaseExtension(engine, this, length, patience, callback, actions.now());
        extensions.add(extension);
        if (extensions.size() == 1) {
            extension.send(lane, actions);
        } else {
            extension.begin(actions);
        }
    }

    /** @param patience for how long it is repeated from now on */
    void send(LeaseExtension extension, Lane lane, Duration patience, DeferredActions actions) {
        longest = Durations.max(longest, extension.length());
        Duration left = lease.end().after(actions.now()); // a later reply is of no use
        Duration timeout = Durations.min(patience, left);
        actions.send(
                lane,
                lease.renewCommand(extension.length()),
                Durations.max(timeout, Waiter.MIN_CALL),
                response -> answered(extension, response));
    }

    private void answered(LeaseExtension extension, StoreResponse response) {
        DeferredActions actions = queue.begin();
        try {
            if (lease.isHeldNow(actions)) {
                take(extension, response, actions);
                next(actions);
            }
        } finally {
            actions.run();
        }
    }

    private void take(LeaseExtension extension, StoreResponse response, DeferredActions actions) {
        LockReply reply = response.reply();
        if (reply instanceof LockReply.Unavailable unavailable) {
            extension.failed(unavailable.cause(), actions);
        } else if (!lease.isConfirmedBy(reply, actions) || extension.isOver()) {
            return;
        }
        if (reply instanceof LockReply.Granted granted) {
            lease.extended(confirmedEnd(response.sent(), granted.remaining(), actions.now()), actions);
            if (extension.isConfirmedBy(granted)) {
                extension.end(new ExtendResult.Extended(), actions);
            } else { // a composite between two stores
                extension.failed(
                        new IllegalStateException("the store confirmed the lease, but only for "
                                + DurationText.format(granted.remaining())),
                        actions);
            }
        }
    }

    /**
     * The end of the lease after the store has confirmed this much of it. It moves forward only if the store has lost an earlier
     * extension, as after a failover.
     */
    private DualClockInstant confirmedEnd(DualClockInstant sent, Duration remaining, DualClockInstant now) {
        DualClockInstant known = lease.deadline();
        DualClockInstant confirmed = sent.endOf(remaining);
        DualClockInstant latestAtStore = now.plus(remaining.plus(remaining.dividedBy(CLOCK_SLACK)));
        boolean isForgotten = latestAtStore.until(known).compareTo(Duration.ZERO) > 0;
        boolean isSooner =
                confirmed.after(now).compareTo(known.after(now)) < 0; // by both clocks, as the lease itself ends
        return isSooner && !isForgotten ? known : confirmed;
    }

    void timerFired(LeaseExtension extension) {
        DeferredActions actions = queue.begin();
        try {
            if (lease.isHeldNow(actions)) {
                extension.tick(actions);
                next(actions);
            }
        } finally {
            actions.run();
        }
    }

    private void next(DeferredActions actions) {
        extensions.removeIf(LeaseExtension::isOver);
        LeaseExtension first = extensions.peek();
        if (first != null && first.isWaiting()) {
            first.send(Lane.BACKGROUND, actions);
        }
    }

    /** The lease is lost or released. */
    void leaseEnded(DeferredActions actions) {
        List.copyOf(extensions).forEach(extension -> extension.end(new ExtendResult.Ended(), actions));
        extensions.clear();
    }
}
