package dev.holdfast.lock.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of one lock in the store at one instant. For people; no decision may be based on it.
 *
 * @param name the lock
 * @param holders the holders, in the order of their tokens; more than one only if they have {@linkplain Share shares}
 * @param minimumHoldUntil the end of the last minimum hold, by the store's clock, that keeps a share without a holder; empty if
 *     none does
 * @param waiters the waiters, in the order of the queue. A process has one place for all of its waiters for an exclusive lock,
 *     unless {@code lock.max-local-handoffs} is 1
 */
public record LockInfo(LockName name, List<Holder> holders, Optional<Instant> minimumHoldUntil, List<Waiter> waiters) {

    /** Copies the lists. */
    public LockInfo {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /**
     * The state of an exclusive lock.
     *
     * @param waiters the {@code owner} of each
     */
    public LockInfo(LockName name, Optional<Holder> holder, Optional<Instant> minimumHoldUntil, List<String> waiters) {
        this(
                name,
                holder.stream().toList(),
                minimumHoldUntil,
                waiters.stream()
                        .map(owner -> new Waiter(owner, Share.EXCLUSIVE))
                        .toList());
    }

    /** The holder with the smallest token: the only one of an exclusive lock. Empty if there is none. */
    public Optional<Holder> holder() {
        return holders.stream().findFirst();
    }

    /** The {@code owner} of each waiter, in the order of the queue. */
    public List<String> waitingOwners() {
        return waiters.stream().map(Waiter::owner).toList();
    }

    /**
     * A waiter.
     *
     * @param owner the waiter's description of itself
     * @param share the share for which it waits
     */
    public record Waiter(String owner, Share share) {}

    /**
     * A holder of a lock.
     *
     * @param id the acquisition, which a {@link LockCommand.Release} needs to end it
     * @param owner the holder's description of itself
     * @param token the store's token of the grant
     * @param since the instant of the grant, by the store's clock
     * @param until the end of the lease unless renewed, by the store's clock
     * @param share the share that it has
     */
    public record Holder(AcquisitionId id, String owner, long token, Instant since, Instant until, Share share) {

        /** A holder with {@link Share#EXCLUSIVE}. */
        public Holder(AcquisitionId id, String owner, long token, Instant since, Instant until) {
            this(id, owner, token, since, until, Share.EXCLUSIVE);
        }

        /**
         * The fencing token of the first holder of the grant. Later holders of the same grant, within the same process, have
         * a greater one, by less than {@value LockReply.Granted#HOLDERS_PER_GRANT}.
         */
        public long fencingToken() {
            return LockReply.Granted.fencingToken(token, 0);
        }
    }
}
