package dev.holdfast.lock.cli.top;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of leases, as far as consecutive snapshots show them. A store knows only the end of a lease: an end that moves is a
 * renewal. A lease is renewed when a third of it has passed, so its renewal is behind once less than half of it is left.
 *
 * <p>Not thread-safe.
 */
public final class Renewals {

    /**
     * What was seen of one grant.
     *
     * @param until its end
     * @param at when that end was first seen
     * @param renewed whether an earlier end had been seen
     * @param left the time left at that instant: about the whole lease after a renewal, and at least two thirds of it at the
     *     first sight of a lease that is renewed in time
     */
    private record Seen(Instant until, Instant at, boolean renewed, Duration left) {}

    private Map<AcquisitionId, Seen> grants = new HashMap<>();
    private Instant now = Instant.MIN;

    /** Takes the next snapshot, and forgets grants that are no longer in it. */
    public void observe(Snapshot snapshot) {
        now = snapshot.at();
        Map<AcquisitionId, Seen> next = new HashMap<>();
        for (LockInfo lock : snapshot.locks()) {
            for (LockInfo.Holder holder : lock.holders()) {
                next.put(holder.id(), seen(holder, grants.get(holder.id())));
            }
        }
        grants = next;
    }

    private Seen seen(LockInfo.Holder holder, @Nullable Seen before) {
        Duration left = Duration.between(now, holder.until());
        if (before == null) {
            return new Seen(holder.until(), now, false, left);
        }
        return isLater(holder.until(), before) ? new Seen(holder.until(), now, true, left) : before;
    }

    /** By more than the error of a store that recomputes the end of a lease from the time left at each listing. */
    private static boolean isLater(Instant until, Seen before) {
        return until.isAfter(before.until().plus(before.left().abs().dividedBy(20)));
    }

    /** The time since the last renewal of a grant; empty if none was seen, or the next one is overdue. */
    public Optional<Duration> sinceRenewal(LockInfo.Holder holder) {
        return Optional.ofNullable(grants.get(holder.id()))
                .filter(seen -> seen.renewed() && !isBehind(seen))
                .map(seen -> Duration.between(seen.at(), now));
    }

    /** The minimum time since the last renewal of a grant; empty unless the next one is overdue. */
    public Optional<Duration> behind(LockInfo.Holder holder) {
        return Optional.ofNullable(grants.get(holder.id()))
                .filter(this::isBehind)
                .map(seen -> Duration.between(seen.at(), now));
    }

    private boolean isBehind(Seen seen) {
        return Duration.between(now, seen.until()).multipliedBy(2).compareTo(seen.left()) < 0;
    }
}
