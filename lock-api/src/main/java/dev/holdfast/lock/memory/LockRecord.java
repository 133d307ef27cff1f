package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of one lock, dropped once none of it matters: in a database, a row of a table. */
final class LockRecord {

    /** The token of the latest grant; every later one is greater. */
    long lastToken;

    /** The current lease; an expired one stays until the next command on this lock. */
    @Nullable
    MemoryLease lease;

    /** The end of the minimum hold of a holder that has released. */
    Instant keptUntil = Instant.MIN;

    /** The end of the latest lease or minimum hold, if there is none now. */
    Instant freeSince = Instant.MIN;

    final StoreQueue queue;

    /** The ids that are never granted again, each with the end of its tombstone. */
    final Map<AcquisitionId, Instant> tombstones = new HashMap<>();

    /** The next check of this record without a command. */
    @Nullable
    Expiry expiry;

    /**
     * An entry of the schedule by which records are cleaned up.
     *
     * @param at when some part of the record expires
     */
    record Expiry(Instant at, LockName name) implements Comparable<Expiry> {

        @Override
        public int compareTo(Expiry other) {
            int byTime = at.compareTo(other.at);
            return byTime != 0 ? byTime : name.compareTo(other.name);
        }
    }

    LockRecord(StoreQueue queue) {
        this.queue = queue;
    }

    boolean hasTombstone(AcquisitionId id, Instant now) {
        Instant until = tombstones.get(id);
        return until != null && now.isBefore(until);
    }

    boolean isFree(Instant now) {
        return lease == null && !now.isBefore(keptUntil);
    }

    /** Keeps the later of the two ends if the id has a tombstone already. */
    void addTombstone(AcquisitionId id, Instant until) {
        tombstones.merge(id, until, (one, other) -> one.isBefore(other) ? other : one);
    }

    void dropExpired(Instant now) {
        tombstones.values().removeIf(until -> !now.isBefore(until));
        if (!now.isBefore(keptUntil)) {
            keptUntil = Instant.MIN;
        }
        queue.dropExpired(now);
    }

    boolean isIdle() {
        return !isVisible() && tombstones.isEmpty();
    }

    /** Whether the lock is held, kept or waited for. */
    boolean isVisible() {
        return lease != null || !keptUntil.equals(Instant.MIN) || !queue.isEmpty();
    }

    LockInfo toLockInfo(LockName name) {
        return new LockInfo(
                name,
                Optional.ofNullable(lease).map(MemoryLease::holder),
                keptUntil.equals(Instant.MIN) ? Optional.empty() : Optional.of(keptUntil),
                queue.places().stream().map(StoreQueue.Place::owner).toList());
    }

    /** The time at which the next part of this record expires. */
    Instant nextExpiry() {
        Instant next = queue.nextExpiry();
        if (lease != null && lease.until().isBefore(next)) {
            next = lease.until();
        }
        for (Instant until : tombstones.values()) {
            next = until.isBefore(next) ? until : next;
        }
        return keptUntil.isAfter(Instant.MIN) && keptUntil.isBefore(next) ? keptUntil : next;
    }
}
