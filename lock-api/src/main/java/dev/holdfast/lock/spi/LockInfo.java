package dev.holdfast.lock.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One lock as the store sees it at one instant. For people; nothing may be decided on it.
 *
 * @param name the lock
 * @param holder who holds it; empty if nobody does
 * @param keptUntil until when it is kept from everybody by a minimum hold, on the store's clock, though nobody holds it any
 *     more; empty if it is not
 * @param waiters who waits for it, first come first: the {@code owner} that each gave. A process has one place for all of its
 *     waiters, unless {@code lock.handoff} is 1
 */
public record LockInfo(LockName name, Optional<Holder> holder, Optional<Instant> keptUntil, List<String> waiters) {

    /** Copies the list. */
    public LockInfo {
        waiters = List.copyOf(waiters);
    }

    /**
     * Who holds a lock.
     *
     * @param id what a {@link Step.Release} needs to end it
     * @param owner what the holder said of itself
     * @param token the store's token of the grant
     * @param since when it was granted, on the store's clock
     * @param until when it ends unless renewed, on the store's clock
     */
    public record Holder(AcquisitionId id, String owner, long token, Instant since, Instant until) {

        /**
         * The application's fencing token of the grant. Whoever the lock was handed on to since, within the holder's process,
         * has a greater one, by less than {@value Answer.Granted#HAND_OFFS}.
         */
        public long fencingToken() {
            return Answer.Granted.fencingToken(token, 0);
        }
    }
}
