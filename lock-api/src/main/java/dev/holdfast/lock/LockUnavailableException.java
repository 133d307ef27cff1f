package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be asked, or did not answer. Says nothing about who holds the lock: neither busy nor granted. Whatever
 * the unanswered call may have done is undone in the background as soon as the store answers again, or expires.
 */
public final class LockUnavailableException extends LockException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what was asked and why no answer came
     * @param cause the store's own failure, or null
     */
    public LockUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
