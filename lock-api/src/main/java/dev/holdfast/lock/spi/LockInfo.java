package dev.holdfast.lock.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One lock as the store sees it at one instant. For people; nothing may be decided on it.
 *
 * @param name the lock
 * @param holder who holds it; empty if nobody does
 * @param waiters who waits for it, first come first; the {@code owner} that each gave
 */
public record LockInfo(LockName name, Optional<Holder> holder, List<String> waiters) {

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
    public record Holder(AcquisitionId id, String owner, long token, Instant since, Instant until) {}
}
