package dev.holdfast.lock.spi.support;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one lock in their order of arrival, and the claim windows of those that are due: the decisions that the contract of
 * {@link LockCommand.Acquire} demands of a store with the capability {@link Capability#QUEUE}, and which waiters a store with
 * {@link Capability#NOTIFICATIONS} notifies. A waiter is due if its share is compatible with those that are taken and those of all
 * waiters before it; so the due ones are the first of the queue, and at most one is due for an exclusive lock. It does no I/O and has
 * no clock. The store passes the time of its own clock and the permits that are taken: those of all holders, and those that minimum
 * holds keep. It stores the {@link #places()} and the {@link #claimWindows()} with the lock. For each command it
 *
 * <ol>
 *   <li>restores the queue;
 *   <li>for each lease or minimum hold that has ended, in the order of their ends, calls {@link #openClaimWindows} with what is still
 *       taken, and the time of the end;
 *   <li>grants an acquire only if {@link #admit} returns true, and then calls {@link #removeGranted};
 *   <li>otherwise calls {@link #join} for an acquire that queues, and replies {@link #retryAfter};
 *   <li>calls {@link #withdraw} for a release;
 *   <li>calls {@link #settle}, after each reply, and notifies the waiters that this returns once the changes are stored.
 * </ol>
 *
 * <p>Times from the future were written before the store's clock was set back, and count as over. The length of a queue is bounded
 * by its living waiters; {@link #nextExpiry} says when to look at a lock that gets no commands.
 *
 * <p>Not thread-safe: belongs to the command that has the lock to itself. Stores use it as it is; only tests of the conformance kit
 * extend it.
 */
public class StoreQueue {

    private final Map<AcquisitionId, Place> places = new LinkedHashMap<>();

    /** The due waiters, in the order of the queue, each with the begin of its claim window. */
    private final Map<AcquisitionId, Instant> due = new LinkedHashMap<>();

    /** The claim windows and the first waiter as of the last {@link #settle}, or as stored. */
    private List<ClaimWindow> settledWindows = List.of();

    private @Nullable AcquisitionId settledFirst;

    /**
     * A waiter.
     *
     * @param id the acquisition that waits
     * @param owner the waiter's description of itself; a store that lists no waiters may leave it empty
     * @param share the share for which it waits
     * @param seen when the waiter last sent an Acquire
     */
    public record Place(AcquisitionId id, String owner, Share share, Instant seen) {

        /** The time at which the waiter is dropped unless it asks again. */
        public Instant expiry() {
            return seen.plus(QueueTimes.WAITER_TTL);
        }

        /** A place from the future dates from before the clock stepped back; its waiter, if it lives, asks again. */
        private boolean isExpired(Instant now) {
            return now.isBefore(seen) || !now.isBefore(expiry());
        }
    }

    /**
     * The time for which the share of a waiter is reserved for it.
     *
     * @param id a waiter that is due
     * @param since when it became due
     */
    public record ClaimWindow(AcquisitionId id, Instant since) {

        /** The time from which the waiter may be passed over. */
        public Instant until() {
            return since.plus(QueueTimes.CLAIM_WINDOW);
        }

        /** Whether the waiter may be passed over. A window from the future is over as well: the clock stepped back. */
        public boolean isOver(Instant now) {
            return now.isBefore(since) || !now.isBefore(until());
        }
    }

    /** Makes an empty queue. */
    public StoreQueue() {}

    /**
     * Makes the queue that was stored.
     *
     * @param places in order of arrival
     * @param claimWindows those of the first waiters, in the same order
     */
    public StoreQueue(List<Place> places, List<ClaimWindow> claimWindows) {
        places.forEach(place -> this.places.put(place.id(), place));
        claimWindows.forEach(window -> due.put(window.id(), window.since()));
        settledWindows = List.copyOf(claimWindows);
        settledFirst = places.isEmpty() ? null : places.get(0).id();
    }

    /** The waiters as the store keeps them, in order of arrival. */
    public List<Place> places() {
        return List.copyOf(places.values());
    }

    /** The reservations as the store keeps them: those of the due waiters, which are the first of the queue. */
    public List<ClaimWindow> claimWindows() {
        return due.entrySet().stream()
                .map(each -> new ClaimWindow(each.getKey(), each.getValue()))
                .toList();
    }

    /** The waiters in order of arrival. */
    public Set<AcquisitionId> ids() {
        return places.keySet();
    }

    /** Whether no waiter has a place. */
    public boolean isEmpty() {
        return places.isEmpty();
    }

    /** The first waiter; null if the queue is empty. */
    public @Nullable AcquisitionId first() {
        return isEmpty() ? null : ids().iterator().next();
    }

    /** The time at which the next waiter is dropped unless it asks again; {@link Instant#MAX} if the queue is empty. */
    public Instant nextExpiry() {
        return places.values().stream()
                .map(Place::expiry)
                .min(Instant::compareTo)
                .orElse(Instant.MAX);
    }

    /** Drops waiters that have not asked for too long. */
    public void dropExpired(Instant now) {
        places.values().removeIf(place -> place.isExpired(now));
        due.keySet().retainAll(places.keySet());
    }

    /**
     * Whether the share may be granted to this id: it is compatible with those that are taken and those of all waiters before it. An id
     * without a place counts as the last. Drops the waiters that have missed their claim windows.
     *
     * @param id the acquisition that asks, whether it has a place or not
     * @param share the share for which it asks
     * @param taken by the holders and the minimum holds
     */
    public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
        openClaimWindows(taken, now);
        if (dropMissed(id, now)) {
            openClaimWindows(taken, now);
        }
        return places.containsKey(id) ? due.containsKey(id) : isCompatibleWithAll(share, taken);
    }

    private boolean dropMissed(AcquisitionId asking, Instant now) {
        List<AcquisitionId> missed = claimWindows().stream()
                .filter(window -> window.isOver(now) && !window.id().equals(asking))
                .map(ClaimWindow::id)
                .toList();
        missed.forEach(this::remove);
        return !missed.isEmpty();
    }

    /** The waiters that are not compatible with what is taken rule out a later id as well, so all of them count. */
    private boolean isCompatibleWithAll(Share share, TakenPermits taken) {
        TakenPermits all = taken.plus(share);
        for (AcquisitionId waiter : ids()) {
            all = all.plus(share(waiter));
        }
        return all.areCompatible();
    }

    private Share share(AcquisitionId waiter) {
        return Objects.requireNonNull(places.get(waiter)).share();
    }

    /** Adds a waiter at the end; a waiter that has a place already keeps it. */
    public void join(AcquisitionId id, String owner, Share share, Instant now) {
        places.put(id, new Place(id, owner, share, now));
    }

    /**
     * The time of {@link LockReply.Queued}. A store without notifications replies a shorter time to the {@linkplain #first() first}
     * waiter: shorter than its claim window, which otherwise ends before the waiter asks. Behind a waiter for another share than
     * {@link Share#EXCLUSIVE} several may leave the queue at once, so that each retries within a claim window.
     *
     * @param id a waiter
     * @param freeAt when, by the ends of leases and minimum holds, the share of this id will be compatible with what is taken; null if
     *     it is, and waiters before it are due
     */
    public Duration retryAfter(AcquisitionId id, @Nullable Instant freeAt, Instant now) {
        Instant reserved = due.values().stream().findFirst().orElse(now);
        int before = 0;
        boolean isBehindShares = false;
        for (AcquisitionId waiter : ids()) {
            if (waiter.equals(id)) {
                break;
            }
            before++;
            isBehindShares |= !share(waiter).isExclusive();
        }
        Duration untilFree = Duration.between(now, freeAt == null ? reserved : freeAt);
        return QueueTimes.retryAfter(untilFree, isBehindShares ? 1 : before);
    }

    /** Removes the place of an id that is granted its share, if it has one. */
    public void removeGranted(AcquisitionId id) {
        remove(id);
    }

    /** Removes the place of an id that was released, if it has one: its waiter gave up. */
    public void withdraw(AcquisitionId id) {
        remove(id);
    }

    private void remove(AcquisitionId id) {
        places.remove(id);
        due.remove(id);
    }

    /**
     * Opens the claim windows of the waiters that are due by now. To be called at the end of each command.
     *
     * @param reply to the command
     * @param isKept whether the command has left a minimum hold
     * @param taken by the holders and the minimum holds
     * @return the waiters to notify: those that have become due since the last call, or since the queue was stored; if none is due, the
     *     first waiter if it has to learn again when it will be, after a release with a minimum hold or because another waiter was the
     *     first
     */
    public List<AcquisitionId> settle(LockReply reply, boolean isKept, TakenPermits taken, Instant now) {
        List<ClaimWindow> windowsBefore = settledWindows;
        AcquisitionId firstBefore = settledFirst;
        openClaimWindows(taken, now);
        settledWindows = claimWindows();
        settledFirst = first();
        if (!settledWindows.isEmpty()) {
            return settledWindows.stream()
                    .filter(window -> !windowsBefore.contains(window))
                    .map(ClaimWindow::id)
                    .toList();
        }
        boolean hasLeft = reply.equals(new LockReply.Released(false)) && !Objects.equals(firstBefore, settledFirst);
        return (isKept || hasLeft) && settledFirst != null ? List.of(settledFirst) : List.of();
    }

    /**
     * Opens the claim windows of the waiters that have become due, and drops those that died before. To be called when a lease or
     * minimum hold is found to have ended, with the time of its end.
     *
     * @param taken by the holders and the minimum holds that are left
     * @param since when they became due
     */
    public void openClaimWindows(TakenPermits taken, Instant since) {
        dropExpired(since);
        List<AcquisitionId> first = new ArrayList<>();
        TakenPermits all = taken;
        for (AcquisitionId waiter : ids()) {
            all = all.plus(share(waiter));
            if (!all.areCompatible()) {
                break;
            }
            first.add(waiter);
        }
        due.keySet().retainAll(first);
        first.forEach(id -> due.putIfAbsent(id, since));
    }
}
