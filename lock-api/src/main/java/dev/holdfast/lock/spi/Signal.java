package dev.holdfast.lock.spi;

import java.util.Optional;

/**
 * A hint that asking again is worth it. Only a hint: it may be lost, late or wrong, and nobody owns anything by it.
 *
 * @param name the lock that may have become free; empty for "any", as after a reconnection
 */
public record Signal(Optional<LockName> name) {}
