package dev.holdfast.lock.spi.support;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one lock in their order of arrival, and the claim window of the first one while the lock is free: the decisions
 * that the contract of {@link LockCommand.Acquire} demands of a store with the capability {@link Capability#QUEUE}, and which
 * waiter a store with {@link Capability#NOTIFICATIONS} notifies. It does no I/O and has no clock. The store passes the time of its
 * own clock, and stores the {@link #places()} and the {@link #claimWindow()} with the lock. For each command it
 *
 * <ol>
 *   <li>restores the queue, and calls {@link #dropExpired};
 *   <li>at a free lock, grants an acquire only if {@link #admit} returns true, and then calls {@link #removeGranted};
 *   <li>at any other lock, calls {@link #join} for an acquire that queues, and replies {@link #retryAfter};
 *   <li>calls {@link #withdraw} for a release;
 *   <li>calls {@link #settle}, after each reply, and notifies the waiter that this returns once the changes are stored.
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

    private @Nullable ClaimWindow claimWindow;

    /** The claim window and the first waiter as of the last {@link #settle}, or as stored. */
    private @Nullable ClaimWindow settledWindow;

    private @Nullable AcquisitionId settledFirst;

    /**
     * A waiter.
     *
     * @param id the acquisition that waits
     * @param owner the waiter's description of itself; a store that lists no waiters may leave it empty
     * @param seen when the waiter last sent an Acquire
     */
    public record Place(AcquisitionId id, String owner, Instant seen) {

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
     * The time for which a free lock is reserved for the first waiter.
     *
     * @param id the first waiter
     * @param since when the lock became free, or when this waiter became the first
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
     * @param claimWindow null if there was none
     */
    public StoreQueue(List<Place> places, @Nullable ClaimWindow claimWindow) {
        places.forEach(place -> this.places.put(place.id(), place));
        this.claimWindow = claimWindow;
        this.settledWindow = claimWindow;
        this.settledFirst = places.isEmpty() ? null : places.get(0).id();
    }

    /** The waiters as the store keeps them, in order of arrival. */
    public List<Place> places() {
        return List.copyOf(places.values());
    }

    /** The reservation as the store keeps it; null if the queue is empty or the lock is not free. */
    public @Nullable ClaimWindow claimWindow() {
        return claimWindow;
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

    /** Drops waiters that have not asked for too long. To be called before each decision. */
    public void dropExpired(Instant now) {
        places.values().removeIf(place -> place.isExpired(now));
    }

    /**
     * Whether the free lock may be granted to this id: it is reserved for no other one. Drops the waiters that have missed their
     * claim windows.
     *
     * @param id the acquisition that asks, whether it has a place or not
     * @param freeSince when the latest lease or minimum hold ended; any time before now if that is not known
     */
    public boolean admit(AcquisitionId id, Instant freeSince, Instant now) {
        dropExpired(now);
        openClaimWindow(freeSince, now);
        while (claimWindow != null && !claimWindow.id().equals(id) && claimWindow.isOver(now)) {
            places.remove(claimWindow.id());
            openClaimWindow(freeSince, now);
        }
        return claimWindow == null || claimWindow.id().equals(id);
    }

    /** Adds a waiter at the end; a waiter that has a place already keeps it. */
    public void join(AcquisitionId id, String owner, Instant now) {
        places.put(id, new Place(id, owner, now));
    }

    /**
     * The time of {@link LockReply.Queued}. A store without notifications replies a shorter time to the {@linkplain #first() first}
     * waiter: shorter than its claim window, which otherwise ends before the waiter asks.
     *
     * @param id a waiter
     * @param freeAt when the lease or minimum hold ends; null if the lock is free, and reserved for the first waiter
     */
    public Duration retryAfter(AcquisitionId id, @Nullable Instant freeAt, Instant now) {
        Instant reserved = claimWindow == null ? now : claimWindow.since();
        return QueueTimes.retryAfter(Duration.between(now, freeAt == null ? reserved : freeAt), countBefore(id));
    }

    private int countBefore(AcquisitionId id) {
        int count = 0;
        for (AcquisitionId waiter : ids()) {
            if (waiter.equals(id)) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Removes the place of an id that is granted the lock, if it has one. */
    public void removeGranted(AcquisitionId id) {
        places.remove(id);
    }

    /** Removes the place of an id that was released, if it has one: its waiter gave up. */
    public void withdraw(AcquisitionId id) {
        places.remove(id);
    }

    /**
     * Reserves the lock for the first waiter if it is free, and for none otherwise. To be called at the end of each command.
     *
     * @param reply to the command
     * @param freeSince when the latest lease or minimum hold ended; null if the lock is held or kept by a minimum hold
     * @return the waiter to notify: the one whose claim window has begun since the last call, or since the queue was stored; at a
     *     lock that is not free, the first waiter if it has to learn again when the lock will be free, after a release with a minimum
     *     hold or because another waiter was the first. Null if there is none
     */
    public @Nullable AcquisitionId settle(LockReply reply, @Nullable Instant freeSince, Instant now) {
        ClaimWindow windowBefore = settledWindow;
        AcquisitionId firstBefore = settledFirst;
        if (freeSince == null) {
            claimWindow = null;
        } else {
            openClaimWindow(freeSince, now);
        }
        settledWindow = claimWindow;
        settledFirst = first();
        if (claimWindow != null) {
            return claimWindow.equals(windowBefore) ? null : claimWindow.id();
        }
        boolean isKept = reply.equals(new LockReply.Released(true));
        boolean hasLeft = reply.equals(new LockReply.Released(false)) && !Objects.equals(firstBefore, settledFirst);
        return isKept || hasLeft ? settledFirst : null;
    }

    /**
     * Opens the window of the first waiter of a free lock, which counts from now if another waiter was the first before. To be
     * called when a lease or minimum hold is found to have ended, before the note of its end is dropped.
     *
     * @param freeSince when the lease or minimum hold ended
     */
    public void openClaimWindow(Instant freeSince, Instant now) {
        AcquisitionId first = first();
        if (first == null) {
            claimWindow = null;
        } else if (claimWindow == null) {
            claimWindow = new ClaimWindow(first, freeSince);
        } else if (!claimWindow.id().equals(first)) {
            claimWindow = new ClaimWindow(first, now);
        }
    }
}
