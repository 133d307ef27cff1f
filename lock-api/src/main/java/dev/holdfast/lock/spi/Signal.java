package dev.holdfast.lock.spi;

import java.util.Optional;

/**
 * A hint that asking again is worth it. Only a hint: it may be lost, late, repeated or wrong, and nobody owns anything by it.
 *
 * @param name the lock that may have become free; empty for any, as after a gap
 * @param id whose turn it is; empty if the store does not say
 */
public record Signal(Optional<LockName> name, Optional<AcquisitionId> id) {

    /** Any lock may have become free. */
    public static final Signal ANY = new Signal(Optional.empty(), Optional.empty());

    /** It is this waiter's turn to take this lock. */
    public static Signal to(LockName name, AcquisitionId id) {
        return new Signal(Optional.of(name), Optional.of(id));
    }
}
