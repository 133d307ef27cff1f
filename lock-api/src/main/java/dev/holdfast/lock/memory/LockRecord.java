package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state of one lock, dropped once none of it matters: in a database, the rows of a name. */
final class LockRecord {

    /** The token of the latest grant; every later one is greater. */
    long lastToken;

    /**
     * The leases, in the order of their tokens, and the minimum holds of holders that have released. Expired ones stay until the next
     * command on this lock.
     */
    final List<MemoryLease> leases = new ArrayList<>();

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

    /** What holders and minimum holds take. */
    TakenPermits taken() {
        return TakenPermits.of(leases.stream().map(MemoryLease::share).toList());
    }

    /** When so many leases and minimum holds will have ended that the others leave room for this share; null if they do now. */
    @Nullable
    Instant freeAt(Share share) {
        List<MemoryLease> left = new ArrayList<>(leases);
        left.sort(Comparator.comparing(MemoryLease::until));
        Instant free = null;
        while (!TakenPermits.of(left.stream().map(MemoryLease::share).toList())
                .plus(share)
                .areCompatible()) {
            free = left.remove(0).until();
        }
        return free;
    }

    void replace(MemoryLease lease, MemoryLease by) {
        leases.set(leases.indexOf(lease), by);
    }

    /** Keeps the later of the two ends if the id has a tombstone already. */
    void addTombstone(AcquisitionId id, Instant until) {
        tombstones.merge(id, until, (one, other) -> one.isBefore(other) ? other : one);
    }

    void dropExpired(Instant now) {
        tombstones.values().removeIf(until -> !now.isBefore(until));
        queue.dropExpired(now);
    }

    boolean isIdle() {
        return !isVisible() && tombstones.isEmpty();
    }

    /** Whether the lock is held, kept or waited for. */
    boolean isVisible() {
        return !leases.isEmpty() || !queue.isEmpty();
    }

    LockInfo toLockInfo(LockName name) {
        return new LockInfo(
                name,
                leases.stream()
                        .filter(MemoryLease::isHeld)
                        .map(MemoryLease::holder)
                        .toList(),
                leases.stream()
                        .filter(lease -> !lease.isHeld())
                        .map(MemoryLease::until)
                        .max(Comparator.naturalOrder()),
                queue.places().stream()
                        .map(place -> new LockInfo.Waiter(place.owner(), place.share()))
                        .toList());
    }

    /** The time at which the next part of this record expires. */
    Instant nextExpiry() {
        return Stream.of(
                        Stream.of(queue.nextExpiry()),
                        leases.stream().map(MemoryLease::until),
                        tombstones.values().stream())
                .flatMap(ends -> ends)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }
}
