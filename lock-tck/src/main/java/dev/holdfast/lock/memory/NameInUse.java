package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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

    /** Who waits for it. */
    final Queue queue;

    /** The ids that hold nothing and never will again, and until when that is remembered. */
    final Map<AcquisitionId, Instant> over = new HashMap<>();

    /** When this is looked at again though nobody asks. */
    @Nullable
    Watch watch;

    NameInUse(Queue queue) {
        this.queue = queue;
    }

    boolean isOver(AcquisitionId id, Instant now) {
        Instant until = over.get(id);
        return until != null && now.isBefore(until);
    }

    boolean isFree(Instant now) {
        return grant == null && !now.isBefore(keptUntil);
    }

    /** Promises the lock to the first in the queue, if it is free. */
    void promise(Instant now) {
        if (isFree(now)) {
            queue.promise(freeSince, now);
        } else {
            queue.unpromise();
        }
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
        queue.dropDead(now);
    }

    boolean isIdle() {
        return !isHeldKeptOrWaitedFor() && over.isEmpty();
    }

    /** Whether there is something to show. */
    boolean isHeldKeptOrWaitedFor() {
        return grant != null || !keptUntil.equals(Instant.MIN) || !queue.isEmpty();
    }

    /** What people see of it. */
    LockInfo shown(LockName name) {
        return new LockInfo(
                name,
                Optional.ofNullable(grant).map(Grant::holder),
                keptUntil.equals(Instant.MIN) ? Optional.empty() : Optional.of(keptUntil),
                queue.owners());
    }

    /** When the next thing here stops to matter. */
    Instant nextChange() {
        Instant next = queue.nextDeath();
        if (grant != null && grant.until().isBefore(next)) {
            next = grant.until();
        }
        for (Instant until : over.values()) {
            next = until.isBefore(next) ? until : next;
        }
        return keptUntil.isAfter(Instant.MIN) && keptUntil.isBefore(next) ? keptUntil : next;
    }
}
