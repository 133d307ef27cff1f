package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.QueueTimes;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who waits for one lock, in the order in which they came, and to whom it is promised while it is free. */
class Queue {

    private final Map<AcquisitionId, Ticket> tickets = new LinkedHashMap<>();

    private @Nullable Promise promise;

    /** Takes a place at the end; who has one keeps it. */
    void join(AcquisitionId id, String owner, Instant now) {
        tickets.put(id, new Ticket(owner, now));
    }

    /** Got the lock, and waits no longer. */
    void served(AcquisitionId id) {
        tickets.remove(id);
    }

    /** Gave up. */
    void withdraw(AcquisitionId id) {
        tickets.remove(id);
    }

    boolean isEmpty() {
        return tickets.isEmpty();
    }

    /** In the order in which they came. */
    Set<AcquisitionId> ids() {
        return tickets.keySet();
    }

    /** What each said of itself, in the order in which they came. */
    List<String> owners() {
        return tickets.values().stream().map(Ticket::owner).toList();
    }

    /** Null if nobody waits. */
    @Nullable
    AcquisitionId first() {
        return isEmpty() ? null : ids().iterator().next();
    }

    /** How many wait before this one. */
    int before(AcquisitionId id) {
        int place = 0;
        for (AcquisitionId waiting : ids()) {
            if (waiting.equals(id)) {
                break;
            }
            place++;
        }
        return place;
    }

    /** Null if nobody waits, or the lock is not free. */
    @Nullable
    Promise promise() {
        return promise;
    }

    /** The lock is not free, and so promised to nobody. */
    void unpromise() {
        promise = null;
    }

    /** A free lock is promised to the first: since it is free, or if another was the first, since now. */
    void promise(Instant freeSince, Instant now) {
        AcquisitionId first = first();
        if (first == null) {
            promise = null;
        } else if (promise == null) {
            promise = new Promise(first, freeSince);
        } else if (!promise.id().equals(first)) {
            promise = new Promise(first, now);
        }
    }

    /** Whether a free lock may be given to this id. Drops who had its chance and did not take it. */
    boolean isTurnOf(AcquisitionId id, Instant freeSince, Instant now) {
        dropDead(now);
        promise(freeSince, now);
        while (promise != null && !promise.id().equals(id) && promise.isOver(now)) {
            tickets.remove(promise.id());
            promise(freeSince, now);
        }
        return promise == null || promise.id().equals(id);
    }

    /** Drops who has not asked for too long. */
    void dropDead(Instant now) {
        tickets.values().removeIf(ticket -> ticket.isDead(now));
    }

    /** When the next of them is dropped unless it asks; the end of time if nobody waits. */
    Instant nextDeath() {
        return tickets.values().stream()
                .map(ticket -> ticket.seen().plus(QueueTimes.TICKET))
                .min(Instant::compareTo)
                .orElse(Instant.MAX);
    }
}
