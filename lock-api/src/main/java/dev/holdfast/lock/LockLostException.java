package dev.holdfast.lock;

/**
 * The lease ended before its release: it could not be renewed in time, its fixed length had passed, or the store no longer
 * knew it. The lock may have another holder by now. Work guarded by the {@linkplain Lease#fencingToken() fencing token} is
 * still safe.
 */
public final class LockLostException extends LockException {
    private static final long serialVersionUID = 1L;

    /** @param message the lost lease and the cause */
    public LockLostException(String message) {
        super(message, null);
    }
}
