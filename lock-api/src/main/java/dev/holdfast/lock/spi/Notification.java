package dev.holdfast.lock.spi;

import java.util.Optional;

/**
 * A hint that retrying is worthwhile. It may be lost, late, repeated or wrong, and grants nothing.
 *
 * @param name the lock that may have become free; empty for any, as after a gap
 * @param id the waiter whose turn it is; empty if the store does not know
 */
public record Notification(Optional<LockName> name, Optional<AcquisitionId> id) {

    /** Any lock may have become free. */
    public static final Notification ANY = new Notification(Optional.empty(), Optional.empty());

    /** This lock is free for this waiter. */
    public static Notification of(LockName name, AcquisitionId id) {
        return new Notification(Optional.of(name), Optional.of(id));
    }
}
