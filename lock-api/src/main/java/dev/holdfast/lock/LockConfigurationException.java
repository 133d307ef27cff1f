package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/** A setting is missing, unknown or not allowed. The message names the key, its value and origin, and what is allowed. */
public final class LockConfigurationException extends LockException {
    private static final long serialVersionUID = 1L;

    /** @param message key, value, origin, and what is allowed */
    public LockConfigurationException(String message) {
        super(message, null);
    }

    /**
     * @param message key, value, origin, and what is allowed
     * @param cause the failure that the setting led to, or null
     */
    public LockConfigurationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
