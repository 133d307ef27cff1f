package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** One lock in plain Java, in ms. Each method is a command at a time at which all that has ended before has been noted. */
final class ShareModel {

    static final long CLAIM_WINDOW = 2_000;
    static final long WAITER_TTL = 15_000;

    /** A share that is out; without a holder if it is kept by a minimum hold. */
    record Lease(AcquisitionId id, Share share, long since, long until, boolean isHeld) {}

    /** @param dueSince less than 0 for a waiter that is not due */
    record Waiter(AcquisitionId id, Share share, long seen, long dueSince) {
        boolean isDue() {
            return dueSince >= 0;
        }
    }

    final List<Lease> out = new ArrayList<>();
    private Map<AcquisitionId, Waiter> queue = new LinkedHashMap<>();
    private final Map<AcquisitionId, Long> tombstones = new LinkedHashMap<>();

    /** The ids of leases that have expired: the store may have forgotten them, or not. */
    final Set<AcquisitionId> expired = new HashSet<>();

    /** The waiters that have become due in the last command. */
    private final Set<AcquisitionId> newlyDue = new LinkedHashSet<>();

    enum Answer {
        GRANTED,
        HELD,
        REFUSED,
        GONE,
        RELEASED,
        ABSENT
    }

    /** Notes what ends by this time, at the time of its end. */
    void pass(long now) {
        newlyDue.clear();
        out.stream().filter(lease -> lease.until() <= now).forEach(lease -> expired.add(lease.id()));
        out.removeIf(lease -> lease.until() <= now);
        settle(now);
    }

    /** When something ends next, but for claim windows: those end only for others that ask. */
    long nextEnd() {
        return Stream.concat(
                        out.stream().map(Lease::until),
                        queue.values().stream().map(waiter -> waiter.seen() + WAITER_TTL))
                .min(Comparator.naturalOrder())
                .orElse(Long.MAX_VALUE);
    }

    Answer acquire(AcquisitionId id, Share share, long length, boolean wantsPlace, long now) {
        newlyDue.clear();
        for (Lease lease : out) {
            if (lease.id().equals(id)) {
                return lease.isHeld() ? Answer.HELD : Answer.GONE;
            }
        }
        if (tombstones.getOrDefault(id, now) > now) {
            return Answer.GONE;
        }
        if (queue.values()
                .removeIf(waiter -> waiter.isDue()
                        && now >= waiter.dueSince() + CLAIM_WINDOW
                        && !waiter.id().equals(id))) {
            settle(now);
        }
        if (queue.containsKey(id) ? queue.get(id).isDue() : fits(share)) {
            queue.remove(id);
            newlyDue.remove(id);
            expired.remove(id);
            out.add(new Lease(id, share, now, now + length, true));
            return Answer.GRANTED;
        }
        if (wantsPlace) {
            queue.put(id, new Waiter(id, share, now, -1));
        }
        return Answer.REFUSED;
    }

    /** As the last. */
    private boolean fits(Share share) {
        List<Share> all = shares();
        queue.values().forEach(waiter -> all.add(waiter.share()));
        all.add(share);
        return Share.areCompatible(all);
    }

    private List<Share> shares() {
        return new ArrayList<>(out.stream().map(Lease::share).toList());
    }

    boolean renew(AcquisitionId id, long length, long now) {
        newlyDue.clear();
        for (Lease lease : out) {
            if (lease.id().equals(id) && lease.isHeld()) {
                long until = Math.max(lease.until(), now + length);
                out.set(out.indexOf(lease), new Lease(id, lease.share(), lease.since(), until, true));
                return true;
            }
        }
        return false;
    }

    Answer release(AcquisitionId id, long minimumHold, long tombstone, long now) {
        newlyDue.clear();
        Answer answer = Answer.ABSENT;
        for (Lease lease : List.copyOf(out)) {
            if (lease.id().equals(id) && lease.isHeld()) {
                out.remove(lease);
                long kept = lease.since() + minimumHold;
                if (minimumHold > 0 && kept > now) {
                    out.add(new Lease(id, lease.share(), lease.since(), kept, false));
                }
                answer = Answer.RELEASED;
            }
        }
        queue.remove(id);
        if (tombstone > 0) {
            tombstones.merge(id, now + tombstone, Math::max);
        }
        settle(now);
        return answer;
    }

    private void settle(long now) {
        queue.values().removeIf(waiter -> now >= waiter.seen() + WAITER_TTL);
        List<Share> all = shares();
        Map<AcquisitionId, Waiter> settled = new LinkedHashMap<>();
        boolean isBlocked = false;
        for (Waiter waiter : queue.values()) {
            all.add(waiter.share());
            isBlocked |= !Share.areCompatible(all);
            boolean becomesDue = !isBlocked && !waiter.isDue();
            if (becomesDue) {
                newlyDue.add(waiter.id());
            }
            settled.put(waiter.id(), becomesDue ? new Waiter(waiter.id(), waiter.share(), waiter.seen(), now) : waiter);
        }
        queue = settled;
    }

    Set<AcquisitionId> newlyDue() {
        return newlyDue;
    }

    List<Waiter> waiters() {
        return List.copyOf(queue.values());
    }

    @Override
    public String toString() {
        return out + ", " + queue.values();
    }

    boolean isIdle() {
        return out.isEmpty() && queue.isEmpty();
    }
}
