package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.composite.protocol.HeldLease.LeaseKey;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases and minimum holds of this process, and the ids that it has released. The stores know them as well, but a store may
 * lose its data, and then this process asserts its leases from this table.
 */
final class LeaseTable {

    /**
     * A lease that was released while it was valid, until a store answers the release.
     *
     * @param until when the lease would have ended
     * @param isRefused whether a store or the protocol has refused the release so far; the engine repeats it
     */
    private record Released(DualClockInstant until, boolean isRefused) {}

    /** Concurrent, as {@link #get} is called by any thread. */
    private final Map<LeaseKey, HeldLease> leases = new ConcurrentHashMap<>();

    private final Map<LeaseKey, DualClockInstant> tombstones = new HashMap<>();
    private final Map<LeaseKey, Released> released = new HashMap<>();

    /** May be called by any thread. */
    @Nullable
    HeldLease get(LeaseKey key) {
        return leases.get(key);
    }

    void put(HeldLease lease) {
        leases.put(lease.key(), lease);
    }

    void remove(LeaseKey key) {
        leases.remove(key);
    }

    /** Keeps a tombstone of this length: until it ends, no acquire of this id is executed. */
    void bury(LeaseKey key, DualClockInstant now, Duration length) {
        tombstones.merge(key, now.plus(length), DualClockInstant::later);
    }

    boolean isBuried(LeaseKey key, DualClockInstant now) {
        return !buriedFor(key, now).isZero();
    }

    /** The time left of its tombstone; zero if there is none. */
    Duration buriedFor(LeaseKey key, DualClockInstant now) {
        DualClockInstant until = tombstones.get(key);
        Duration left = until == null ? Duration.ZERO : now.until(until);
        return Durations.max(left, Duration.ZERO);
    }

    /** The lease was valid when it was released, whatever a store replies to a repetition of the release. */
    void releasedWhileValid(HeldLease lease) {
        released.put(lease.key(), new Released(lease.deadline(), false));
    }

    /** The release was refused; the engine repeats it. */
    void releaseRefused(LeaseKey key) {
        released.computeIfPresent(key, (any, before) -> new Released(before.until(), true));
    }

    /** Whether the lease was valid when it was released, and the release was refused so far. */
    boolean isReleaseRefused(LeaseKey key) {
        Released release = released.get(key);
        return release != null && release.isRefused();
    }

    /** A store has answered the release. */
    void releaseAnswered(LeaseKey key) {
        released.remove(key);
    }

    /**
     * Removes minimum holds that have ended, and ids that no longer need a tombstone. A lease is removed by its release; one that ended
     * longer ago than its own length and this time has none to come, as the engine repeats a limited number of releases.
     *
     * @param late for how long an assertion of a lease that has ended may arrive
     */
    void forgetExpired(DualClockInstant now, Duration late) {
        tombstones.values().removeIf(until -> until.nanos() - now.nanos() <= 0);
        released.values().removeIf(release -> !release.until().isAfter(now));
        leases.values()
                .removeIf(lease -> !lease.lasts(now)
                        && (lease.isKept()
                                || !lease.deadline()
                                        .plus(late)
                                        .plus(lease.length())
                                        .isAfter(now)));
    }

    int count(Predicate<HeldLease> filter) {
        return (int) leases.values().stream().filter(filter).count();
    }

    /** The number of leases and ids in the table. */
    int size() {
        return leases.size() + tombstones.size() + released.size();
    }

    List<HeldLease> page(Predicate<HeldLease> filter, int limit) {
        return leases.values().stream().filter(filter).limit(limit).toList();
    }
}
