package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.QueueTimes;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is kept about one name for as long as anything about it matters: the row of a table, if this were a database. */
final class NameInUse {

    /** The token of the latest grant; every later one is greater. */
    long lastToken;

    /** Who holds the lock, or held it until the lease was over and nobody has asked since. */
    @Nullable
    Grant grant;

    /** The end of the minimum hold of a holder that has released. */
    Instant keptUntil = Instant.MIN;

    /** When the latest lease or minimum hold was over, if there is none now. */
    Instant freeSince = Instant.MIN;

    /** Who waits, in the order in which they came. */
    final Map<AcquisitionId, Ticket> queue = new LinkedHashMap<>();

    /** Whom the lock is kept for, once it is free and somebody waits. */
    @Nullable
    Promise promise;

    /** The ids that hold nothing and never will again, and until when that is remembered. */
    final Map<AcquisitionId, Instant> over = new HashMap<>();

    /** When this is looked at again though nobody asks. */
    @Nullable
    Watch watch;

    boolean isOver(AcquisitionId id, Instant now) {
        Instant until = over.get(id);
        return until != null && now.isBefore(until);
    }

    boolean isFree(Instant now) {
        return grant == null && !now.isBefore(keptUntil);
    }

    /** The first in the queue; null if nobody waits. */
    @Nullable
    AcquisitionId first() {
        return queue.isEmpty() ? null : queue.keySet().iterator().next();
    }

    /** How many wait before this one. */
    int place(AcquisitionId id) {
        int place = 0;
        for (AcquisitionId waiting : queue.keySet()) {
            if (waiting.equals(id)) {
                break;
            }
            place++;
        }
        return place;
    }

    void rememberOver(AcquisitionId id, Instant until) {
        over.merge(id, until, (one, other) -> one.isBefore(other) ? other : one);
    }

    /** Drops what no longer matters. */
    void tidy(Instant now) {
        over.values().removeIf(until -> !now.isBefore(until));
        if (!now.isBefore(keptUntil)) {
            keptUntil = Instant.MIN;
        }
        queue.values().removeIf(ticket -> ticket.isDead(now));
    }

    boolean isIdle() {
        return grant == null && keptUntil.equals(Instant.MIN) && over.isEmpty() && queue.isEmpty();
    }

    /** When the next thing here stops to matter. */
    Instant nextChange() {
        Instant next = Instant.MAX;
        if (grant != null) {
            next = grant.until();
        }
        for (Instant until : over.values()) {
            next = until.isBefore(next) ? until : next;
        }
        for (Ticket ticket : queue.values()) {
            Instant until = ticket.seen().plus(QueueTimes.TICKET);
            next = until.isBefore(next) ? until : next;
        }
        return keptUntil.isAfter(Instant.MIN) && keptUntil.isBefore(next) ? keptUntil : next;
    }
}
