package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One lock as plain lists, by the javadoc of {@link LockCommand}: which replies a store may give at an instant of a stepped clock, and
 * what it has to keep. Where the javadoc leaves a choice, the model follows the store:
 *
 * <ul>
 *   <li>whether an id whose lease has ended is still known;
 *   <li>when a claim window begins that no command opened: at the end of the lease or of the waiter in its way, or, of several that
 *       ended since the queue was last decided on, at the end of the last; after the death of a waiter, at the next decision, which
 *       a release that ends nothing may be or not;
 *   <li>whether a command for an exclusive lock decides on the waiters while other shares are out.
 * </ul>
 */
final class LockModel {

    /** A share that is out; without a holder if a minimum hold keeps it. */
    private record Lease(AcquisitionId id, Share share, long token, Instant since, Instant until, boolean isHeld) {}

    private static final class Waiter {
        private final AcquisitionId id;
        private final Share share;
        private Instant seen;
        /** The earliest and the latest begin of its claim window; null if it is not due, and if that is not decided. */
        private @Nullable Instant dueFrom;

        private @Nullable Instant dueTo;
        /** Whether one before it has died since the queue was decided on. */
        private boolean isBehindDead;

        private Waiter(AcquisitionId id, Share share, Instant seen) {
            this.id = id;
            this.share = share;
            this.seen = seen;
        }

        private Instant expiry() {
            return seen.plus(QueueTimes.WAITER_TTL);
        }

        private boolean isDue() {
            return dueFrom != null;
        }
    }

    private final List<Lease> leases = new ArrayList<>();
    private final Map<AcquisitionId, Waiter> queue = new LinkedHashMap<>();
    private final Map<AcquisitionId, Instant> tombstones = new HashMap<>();
    private final Set<AcquisitionId> ended = new HashSet<>();
    private final Set<AcquisitionId> newlyDue = new LinkedHashSet<>();
    private final Set<AcquisitionId> dueMeanwhile = new LinkedHashSet<>();
    private @Nullable AcquisitionId mustLearn;
    /** When the last lease ended, or an exclusive command came that need not look at what has ended. */
    private Instant lastChange = Instant.MIN;

    private boolean hasUndecidedEnd;
    private long lastToken;

    /** When something ends next, but for claim windows: those end only for others that ask. */
    Optional<Instant> nextEnd() {
        return Stream.concat(
                        leases.stream().map(Lease::until),
                        queue.values().stream().map(Waiter::expiry))
                .min(Comparator.naturalOrder());
    }

    /** Ends what is over by now, in the order of the ends. */
    void pass(Instant now) {
        for (Optional<Instant> next = nextEnd(); next.isPresent() && !next.get().isAfter(now); next = nextEnd()) {
            Instant end = next.get();
            for (Lease lease : List.copyOf(leases)) {
                if (!lease.until().isAfter(end)) {
                    leases.remove(lease);
                    ended.add(lease.id());
                    lastChange = end;
                    hasUndecidedEnd = true;
                }
            }
            boolean isBehindDead = false;
            for (Waiter waiter : List.copyOf(queue.values())) {
                if (!waiter.expiry().isAfter(end)) {
                    queue.remove(waiter.id);
                    isBehindDead = true;
                }
                waiter.isBehindDead |= isBehindDead;
            }
            markDue(end, null);
        }
    }

    private void markDue(Instant from, @Nullable Instant to) {
        List<Share> all = shares();
        for (Waiter waiter : queue.values()) {
            all.add(waiter.share);
            if (!Share.areCompatible(all)) {
                return;
            }
            if (!waiter.isDue()) {
                waiter.dueFrom = from;
                waiter.dueTo = to;
                (to == null ? dueMeanwhile : newlyDue).add(waiter.id);
            }
        }
    }

    private List<Share> shares() {
        return new ArrayList<>(leases.stream().map(Lease::share).toList());
    }

    /** Whether the model alone says which waiters a command drops. */
    boolean isCertain(LockCommand command, Instant now) {
        return queue.values().stream()
                .filter(each -> each.isDue() && isMissed(each.dueFrom, now))
                .allMatch(each -> isSureToDecide(command) && isMissed(latestDue(each, now), now));
    }

    private Instant latestDue(Waiter waiter, Instant now) {
        if (waiter.dueTo != null) {
            return waiter.dueTo;
        }
        return waiter.isBehindDead ? now : lastChange;
    }

    private static boolean isMissed(@Nullable Instant due, Instant now) {
        return !Objects.requireNonNull(due).plus(QueueTimes.CLAIM_WINDOW).isAfter(now);
    }

    /** Whether the store decides on all waiters: an exclusive command need not see which of several shares have ended. */
    private boolean isSureToDecide(LockCommand command) {
        return !hasUndecidedEnd
                || !command.share().isExclusive()
                || leases.stream().allMatch(each -> each.share().isExclusive());
    }

    /**
     * The queue is decided on: the windows that have opened meanwhile have a latest begin.
     *
     * @param seesDead whether the store looks for waiters that have died
     */
    private void decide(LockCommand command, boolean seesDead, Instant now) {
        if (!isSureToDecide(command)) {
            lastChange = now;
            return;
        }
        for (Waiter each : queue.values()) {
            if (!each.isDue()) {
                each.isBehindDead = false;
            } else if (seesDead || !each.isBehindDead) {
                each.dueTo = latestDue(each, now);
                each.isBehindDead = false;
            }
        }
        hasUndecidedEnd = false;
    }

    /**
     * Checks a reply, and carries out the command.
     *
     * @param now at which all that has ended was {@linkplain #pass passed}
     * @param left the waiters that the store has then; null if they are not known, which needs {@link #isCertain}
     */
    void execute(LockCommand command, LockReply reply, @Nullable List<AcquisitionId> left, Instant now) {
        if (command instanceof LockCommand.Acquire acquire) {
            acquire(acquire, reply, left, now);
        } else if (command instanceof LockCommand.Renew renew) {
            renew(renew, reply, now);
        } else {
            release((LockCommand.Release) command, reply, now);
        }
    }

    /** Forgets which waiters have become due, as far as the store has decided on them. */
    void endCall() {
        newlyDue.clear();
        dueMeanwhile.removeIf(id -> !queue.containsKey(id) || queue.get(id).dueTo != null);
        mustLearn = null;
    }

    private Optional<Lease> lease(AcquisitionId id) {
        return leases.stream().filter(each -> each.id().equals(id)).findFirst();
    }

    private void acquire(
            LockCommand.Acquire command, LockReply reply, @Nullable List<AcquisitionId> left, Instant now) {
        AcquisitionId id = command.id();
        Optional<Lease> own = lease(id);
        if (own.isPresent() && own.get().isHeld()) {
            assertThat(reply)
                    .isEqualTo(new LockReply.Granted(
                            own.get().token(), Duration.between(now, own.get().until())));
            return;
        } else if (own.isPresent() || tombstones.getOrDefault(id, now).isAfter(now)) {
            assertThat(reply).isEqualTo(new LockReply.Gone());
            return;
        } else if (reply instanceof LockReply.Gone) {
            assertThat(ended).as("the ids that may be gone").contains(id);
            return;
        }
        boolean isSureToDecide = isSureToDecide(command);
        decide(command, true, now);
        for (Waiter waiter : List.copyOf(queue.values())) {
            if (waiter.isDue() && !waiter.id.equals(id) && isMissed(waiter.dueFrom, now)) {
                boolean isSure = isSureToDecide && isMissed(waiter.dueTo, now);
                if (isSure || !Objects.requireNonNull(left, "not certain").contains(waiter.id)) {
                    queue.remove(waiter.id);
                }
            }
        }
        markDue(now, isSureToDecide ? now : null);
        Waiter place = queue.get(id);
        if (place == null ? fitsAsLast(command.share()) : place.isDue()) {
            assertThat(reply).isInstanceOfSatisfying(LockReply.Granted.class, granted -> {
                assertThat(granted.remaining()).isEqualTo(command.lease());
                assertThat(granted.token()).isGreaterThan(Math.max(lastToken, command.tokenFloor()));
                lastToken = granted.token();
            });
            queue.remove(id);
            newlyDue.remove(id);
            ended.remove(id);
            leases.add(new Lease(id, command.share(), lastToken, now, now.plus(command.lease()), true));
            return;
        }
        if (!command.queue()) {
            assertThat(reply).isInstanceOf(LockReply.Busy.class);
            return;
        }
        queue.computeIfAbsent(id, any -> new Waiter(id, command.share(), now)).seen = now;
        assertThat(reply).isInstanceOfSatisfying(LockReply.Queued.class, queued -> {
            Instant due = dueByEnds(id, now);
            Duration endOfWindow = Duration.between(now, due).plus(QueueTimes.CLAIM_WINDOW);
            assertThat(queued.retryAfter())
                    .as("asks before its claim window has ended, if it is due at " + due)
                    .isLessThanOrEqualTo(endOfWindow)
                    .isLessThanOrEqualTo(QueueTimes.REFRESH_INTERVAL);
        });
    }

    private boolean fitsAsLast(Share share) {
        List<Share> all = shares();
        queue.values().forEach(each -> all.add(each.share));
        all.add(share);
        return Share.areCompatible(all);
    }

    /** When a waiter will be due by the ends of leases alone; the end of time if others are in its way. */
    private Instant dueByEnds(AcquisitionId id, Instant now) {
        List<Share> waiting = new ArrayList<>();
        for (Waiter waiter : queue.values()) {
            waiting.add(waiter.share);
            if (waiter.id.equals(id)) {
                break;
            }
        }
        if (!Share.areCompatible(waiting)) {
            return now.plus(QueueTimes.REFRESH_INTERVAL);
        }
        List<Lease> rest = new ArrayList<>(leases);
        rest.sort(Comparator.comparing(Lease::until));
        Instant due = now;
        while (true) {
            List<Share> all = new ArrayList<>(waiting);
            rest.forEach(each -> all.add(each.share()));
            if (Share.areCompatible(all)) {
                return due;
            }
            due = rest.remove(0).until();
        }
    }

    private void renew(LockCommand.Renew command, LockReply reply, Instant now) {
        Optional<Lease> own = lease(command.id()).filter(Lease::isHeld);
        if (own.isEmpty()) {
            assertThat(reply).isEqualTo(new LockReply.Gone());
            return;
        }
        Lease lease = own.get();
        Instant end = now.plus(command.lease());
        Lease renewed = new Lease(
                lease.id(),
                lease.share(),
                lease.token(),
                lease.since(),
                end.isAfter(lease.until()) ? end : lease.until(),
                true);
        leases.set(leases.indexOf(lease), renewed);
        assertThat(reply).isEqualTo(new LockReply.Granted(lease.token(), Duration.between(now, renewed.until())));
    }

    private void release(LockCommand.Release command, LockReply reply, Instant now) {
        AcquisitionId id = command.id();
        Optional<Lease> own = lease(id).filter(Lease::isHeld);
        assertThat(reply).isEqualTo(new LockReply.Released(own.isPresent()));
        boolean isSure = isSureToDecide(command);
        decide(command, own.isPresent() || queue.containsKey(id), now);
        boolean isKept = false;
        AcquisitionId blocked = firstNotDue();
        if (own.isPresent()) {
            Lease lease = own.get();
            Instant kept = lease.since().plus(command.minimumHold());
            isKept = kept.isAfter(now);
            leases.remove(lease);
            ended.add(id);
            if (isKept) {
                leases.add(new Lease(id, lease.share(), lease.token(), lease.since(), kept, false));
            }
        }
        queue.remove(id);
        if (!command.tombstone().isZero()) {
            tombstones.merge(id, now.plus(command.tombstone()), (one, other) -> one.isAfter(other) ? one : other);
        }
        markDue(now, isSure ? now : null);
        boolean isNoneDue = queue.values().stream().noneMatch(Waiter::isDue);
        if (isNoneDue && (isKept || (own.isEmpty() && !Objects.equals(blocked, firstNotDue())))) {
            mustLearn = firstNotDue();
        }
    }

    private @Nullable AcquisitionId firstNotDue() {
        return queue.values().stream()
                .filter(each -> !each.isDue())
                .map(each -> each.id)
                .findFirst()
                .orElse(null);
    }

    /** The waiters to notify after the last call: those that became due by it, and the first one if it has to learn when it will be. */
    Set<AcquisitionId> toNotify() {
        Set<AcquisitionId> all = new LinkedHashSet<>(newlyDue);
        if (mustLearn != null) {
            all.add(mustLearn);
        }
        all.retainAll(queue.keySet());
        return all;
    }

    /** The waiters that may be notified: those as well that became due by the end of a lease, and the first that is not due. */
    Set<AcquisitionId> mayBeNotified() {
        Set<AcquisitionId> all = new LinkedHashSet<>(newlyDue);
        all.addAll(dueMeanwhile);
        queue.keySet().stream().findFirst().ifPresent(all::add);
        AcquisitionId blocked = firstNotDue();
        if (blocked != null) {
            all.add(blocked);
        }
        return all;
    }

    boolean hasWaiters() {
        return !queue.isEmpty();
    }

    /** When the waiter last asked; empty if it does not wait. */
    Optional<Instant> seen(AcquisitionId id) {
        return Optional.ofNullable(queue.get(id)).map(each -> each.seen);
    }

    /** Whether the lease of this id has ended, and nothing of it counts any more. */
    boolean hasEnded(AcquisitionId id) {
        return ended.contains(id) && lease(id).isEmpty();
    }

    long lastToken() {
        return lastToken;
    }

    /** What a store lists of the lock. */
    ListedLock listed() {
        return new ListedLock(
                leases.stream()
                        .filter(Lease::isHeld)
                        .map(each -> ListedLock.holder(each.id(), each.share(), each.until()))
                        .collect(Collectors.toSet()),
                leases.stream().filter(each -> !each.isHeld()).map(Lease::until).max(Comparator.naturalOrder()),
                queue.values().stream().map(each -> each.id).toList());
    }

    /** With times since the start of a history. */
    String toString(Instant start) {
        return leases.stream()
                        .map(each -> "#" + each.id().low() + " has " + each.share()
                                + (each.isHeld() ? " until " : ", kept until ") + Duration.between(start, each.until()))
                        .toList()
                + ", waiting "
                + queue.values().stream()
                        .map(each -> "#" + each.id.low() + " for " + each.share + " since "
                                + Duration.between(start, each.seen)
                                + (each.isDue() ? ", due from " + Duration.between(start, each.dueFrom) : "")
                                + (each.dueTo != null ? " to " + Duration.between(start, each.dueTo) : ""))
                        .toList();
    }
}
