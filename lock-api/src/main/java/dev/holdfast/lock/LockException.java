package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/** What every failure of Holdfast's own extends. Unchecked: most callers can only let it pass. */
public abstract class LockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
