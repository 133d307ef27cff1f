package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of extend on one lease. One command is under way at a time, so that replies keep the order of the calls. Changed under
 * the lock of the name only.
 */
final class ExtensionQueue {

    /** The clocks of this process and of the store differ in rate by less than this part. */
    private static final int CLOCK_SLACK = 500;

    private final Deque<LeaseExtension> extensions = new ArrayDeque<>(1);
    private Duration longest;

    /** @param length how long the lease lasts without an extension */
    ExtensionQueue(Duration length) {
        this.longest = length;
    }

    /** How long the lease may last at the store, from now: an unanswered extension may have reached it. */
    Duration longest() {
        return longest;
    }

    /**
     * Adds an extension.
     *
     * @return whether it is to be sent at once: no other is before it
     */
    boolean add(LeaseExtension extension) {
        extensions.add(extension);
        return extensions.size() == 1;
    }

    void sent(LeaseExtension extension) {
        longest = Durations.max(longest, extension.length());
    }

    /** The extension that is to be sent now, as those before it are over; null if there is none. */
    @Nullable
    LeaseExtension next() {
        extensions.removeIf(LeaseExtension::isOver);
        LeaseExtension first = extensions.peek();
        return first != null && first.isWaiting() ? first : null;
    }

    /**
     * The end of the lease after the store has confirmed this much of it. It moves forward only if the store has lost an earlier
     * extension, as after a failover.
     *
     * @param known the end so far
     */
    static DualClockInstant confirmedEnd(
            DualClockInstant known, DualClockInstant sent, Duration remaining, DualClockInstant now) {
        DualClockInstant confirmed = sent.endOf(remaining);
        DualClockInstant latestAtStore = now.plus(remaining.plus(remaining.dividedBy(CLOCK_SLACK)));
        boolean isForgotten = latestAtStore.until(known).compareTo(Duration.ZERO) > 0;
        boolean isSooner =
                confirmed.after(now).compareTo(known.after(now)) < 0; // by both clocks, as the lease itself ends
        return isSooner && !isForgotten ? known : confirmed;
    }

    /** The lease is lost or released. */
    void leaseEnded(StateTransition transition) {
        List.copyOf(extensions).forEach(extension -> extension.end(new ExtendResult.Ended(), transition));
        extensions.clear();
    }
}
