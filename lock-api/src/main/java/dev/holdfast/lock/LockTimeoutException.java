package dev.holdfast.lock;

/** The lock was busy for the whole wait. The store answered: the lock had another holder. */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    /** @param message the lock and the length of the wait */
    public LockTimeoutException(String message) {
        super(message, null);
    }
}
