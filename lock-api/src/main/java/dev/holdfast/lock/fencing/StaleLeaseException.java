package dev.holdfast.lock.fencing;

import dev.holdfast.lock.LockException;

/**
 * A later holder of the lock has entered the {@link Fence} already, or may have: its row was pruned. The transaction must be rolled
 * back: what it read may be older than what the later holder wrote. The lock has to be acquired again before the work is repeated.
 */
public final class StaleLeaseException extends LockException {
    private static final long serialVersionUID = 1L;

    /** @param message the lock, the two tokens, and what to do */
    public StaleLeaseException(String message) {
        super(message, null);
    }
}
