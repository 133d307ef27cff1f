package dev.holdfast.lock;

/**
 * The lease ended before its holder gave it back: it could not be renewed in time, its fixed length was over, or the store
 * no longer knew it. Somebody else may hold the lock by now. Work guarded by the {@linkplain Lease#fencingToken() fencing
 * token} is still safe.
 */
public final class LockLostException extends LockException {
    private static final long serialVersionUID = 1L;

    /** @param message which lease was lost, and why */
    public LockLostException(String message) {
        super(message, null);
    }
}
