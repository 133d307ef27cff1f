package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be reached or did not answer. The state of the lock is unknown: neither busy nor granted. Any effect of
 * the unanswered call is undone in the background as soon as the store answers again, or expires.
 */
public final class LockUnavailableException extends LockException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message the request and the reason why no answer came
     * @param cause the failure of the store, or null
     */
    public LockUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
