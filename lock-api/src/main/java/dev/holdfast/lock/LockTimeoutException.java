package dev.holdfast.lock;

/** The lock was busy for as long as the caller was willing to wait. The store answered; somebody else held the lock. */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    /** @param message which lock, and how long was waited */
    public LockTimeoutException(String message) {
        super(message, null);
    }
}
