package dev.holdfast.lock.spring.micrometer;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Whether the store answers, as far as events say. An event may be dropped, and no event says that an idle store is well
 * again: so each sign of an outage ends by itself. Thread-safe.
 */
final class StoreOutage {

    /** For how long one unanswered acquire counts. */
    private static final Duration ACQUIRE_COUNTS = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    /** When each unconfirmed lease ends if the store stays silent. */
    private final Map<HeldLease, Long> unconfirmed = new ConcurrentHashMap<>();

    private volatile boolean isUnanswered;
    private volatile long unansweredAt;

    private record HeldLease(String name, long fencingToken) {}

    StoreOutage(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void unconfirmed(String name, long fencingToken, Duration remaining) {
        removeOver();
        unconfirmed.put(new HeldLease(name, fencingToken), nanoTime.getAsLong() + remaining.toNanos());
    }

    /** The store has answered for this lease, or the lease is over. */
    void ended(String name, long fencingToken) {
        if (!unconfirmed.isEmpty()) {
            unconfirmed.remove(new HeldLease(name, fencingToken));
        }
    }

    void unanswered() {
        unansweredAt = nanoTime.getAsLong();
        isUnanswered = true;
    }

    void answered() {
        if (isUnanswered) {
            isUnanswered = false;
        }
    }

    int unconfirmedLeases() {
        removeOver();
        return unconfirmed.size();
    }

    int asNumber() {
        boolean counts = isUnanswered && nanoTime.getAsLong() - unansweredAt < ACQUIRE_COUNTS.toNanos();
        return counts || unconfirmedLeases() > 0 ? 1 : 0;
    }

    private void removeOver() {
        if (!unconfirmed.isEmpty()) {
            long now = nanoTime.getAsLong();
            unconfirmed.values().removeIf(end -> end - now <= 0);
        }
    }
}
