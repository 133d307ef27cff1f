package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The waiters of one lock in their order of arrival, and the claim window of the first one while the lock is free. */
class MemoryQueue {

    private final Map<AcquisitionId, Entry> entries = new LinkedHashMap<>();

    private @Nullable ClaimWindow claimWindow;

    /**
     * A waiter.
     *
     * @param owner the waiter's description of itself
     * @param seen when the waiter last asked
     */
    private record Entry(String owner, Instant seen) {

        /** An entry from the future is older than a step back of the clock; its waiter, if it lives, asks again. */
        boolean isExpired(Instant now) {
            return now.isBefore(seen) || !now.isBefore(expiry());
        }

        Instant expiry() {
            return seen.plus(QueueTimes.WAITER_TTL);
        }
    }

    /**
     * The time for which a free lock is reserved for the first waiter.
     *
     * @param id the first waiter
     * @param since when the lock became free, or when this waiter became the first
     */
    record ClaimWindow(AcquisitionId id, Instant since) {

        Instant until() {
            return since.plus(QueueTimes.CLAIM_WINDOW);
        }

        /** A window from the future is over as well: the clock stepped back. */
        boolean isOver(Instant now) {
            return now.isBefore(since) || !now.isBefore(until());
        }
    }

    /** Adds a waiter at the end; a waiter that is queued already keeps its place. */
    void join(AcquisitionId id, String owner, Instant now) {
        entries.put(id, new Entry(owner, now));
    }

    /** Removes a waiter that was granted the lock. */
    void removeGranted(AcquisitionId id) {
        entries.remove(id);
    }

    /** Removes a waiter that gave up. */
    void withdraw(AcquisitionId id) {
        entries.remove(id);
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** In order of arrival. */
    Set<AcquisitionId> ids() {
        return entries.keySet();
    }

    /** In order of arrival. */
    List<String> owners() {
        return entries.values().stream().map(Entry::owner).toList();
    }

    /** Null if the queue is empty. */
    @Nullable
    AcquisitionId first() {
        return isEmpty() ? null : ids().iterator().next();
    }

    /** The number of waiters before this one. */
    int countBefore(AcquisitionId id) {
        int count = 0;
        for (AcquisitionId waiter : ids()) {
            if (waiter.equals(id)) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Null if the queue is empty or the lock is not free. */
    @Nullable
    ClaimWindow claimWindow() {
        return claimWindow;
    }

    /** The lock is not free. */
    void closeClaimWindow() {
        claimWindow = null;
    }

    /** The lock is free: opens the first waiter's window, which counts from now if another waiter was the first before. */
    void openClaimWindow(Instant freeSince, Instant now) {
        AcquisitionId first = first();
        if (first == null) {
            claimWindow = null;
        } else if (claimWindow == null) {
            claimWindow = new ClaimWindow(first, freeSince);
        } else if (!claimWindow.id().equals(first)) {
            claimWindow = new ClaimWindow(first, now);
        }
    }

    /** Drops waiters that missed their claim window, and returns whether the free lock may be granted to this id. */
    boolean admit(AcquisitionId id, Instant freeSince, Instant now) {
        dropExpired(now);
        openClaimWindow(freeSince, now);
        while (claimWindow != null && !claimWindow.id().equals(id) && claimWindow.isOver(now)) {
            entries.remove(claimWindow.id());
            openClaimWindow(freeSince, now);
        }
        return claimWindow == null || claimWindow.id().equals(id);
    }

    /** Drops waiters that have not asked for too long. */
    void dropExpired(Instant now) {
        entries.values().removeIf(entry -> entry.isExpired(now));
    }

    /** When the next waiter is dropped unless it asks again; {@link Instant#MAX} if the queue is empty. */
    Instant nextExpiry() {
        return entries.values().stream()
                .map(Entry::expiry)
                .min(Instant::compareTo)
                .orElse(Instant.MAX);
    }
}
