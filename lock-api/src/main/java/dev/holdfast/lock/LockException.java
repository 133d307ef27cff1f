package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/** The base of the exceptions of Holdfast. Unchecked, as most callers can only pass them on. */
public abstract class LockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** For the exceptions of Holdfast. */
    protected LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
