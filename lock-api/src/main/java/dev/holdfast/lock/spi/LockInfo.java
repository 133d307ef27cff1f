package dev.holdfast.lock.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of one lock in the store at one instant. For people; no decision may be based on it.
 *
 * @param name the lock
 * @param holder the holder; empty if the lock has none
 * @param minimumHoldUntil the end of the minimum hold, by the store's clock, if that alone keeps the lock busy; otherwise empty
 * @param waiters the {@code owner} of each waiter, in the order of the queue. A process has one place for all of its waiters,
 *     unless {@code lock.max-local-handoffs} is 1
 */
public record LockInfo(
        LockName name, Optional<Holder> holder, Optional<Instant> minimumHoldUntil, List<String> waiters) {

    /** Copies the list of waiters. */
    public LockInfo {
        waiters = List.copyOf(waiters);
    }

    /**
     * The holder of a lock.
     *
     * @param id the acquisition, which a {@link LockCommand.Release} needs to end it
     * @param owner the holder's description of itself
     * @param token the store's token of the grant
     * @param since the instant of the grant, by the store's clock
     * @param until the end of the lease unless renewed, by the store's clock
     */
    public record Holder(AcquisitionId id, String owner, long token, Instant since, Instant until) {

        /**
         * The fencing token of the first holder of the grant. Later holders of the same grant, within the same process, have
         * a greater one, by less than {@value LockReply.Granted#HOLDERS_PER_GRANT}.
         */
        public long fencingToken() {
            return LockReply.Granted.fencingToken(token, 0);
        }
    }
}
