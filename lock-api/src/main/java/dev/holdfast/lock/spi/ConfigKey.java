package dev.holdfast.lock.spi;

import java.util.Objects;

/**
 * A configuration key that a provider reads.
 *
 * @param name such as {@code lock.mine.url}; begins with {@code lock.}
 * @param defaultValue the effective value if the key is not set, for people: a value such as {@code 8}, or words such as
 *     {@code must be set}
 * @param secret whether its value is never shown, such as a password or an access token
 */
public record ConfigKey(String name, String defaultValue, boolean secret) {

    private static final String BEGINNING = "lock.";

    /** @throws IllegalArgumentException if the name does not begin with {@code lock.} */
    public ConfigKey {
        Objects.requireNonNull(defaultValue);
        if (!name.startsWith(BEGINNING)) {
            throw new IllegalArgumentException("a key begins with " + BEGINNING + ": '" + name + "'");
        }
    }

    /** A key that must be set. */
    public static ConfigKey required(String name) {
        return new ConfigKey(name, "must be set", false);
    }

    /** An optional key with this default. */
    public static ConfigKey optional(String name, String defaultValue) {
        return new ConfigKey(name, defaultValue, false);
    }

    /** An optional key whose value is never shown. */
    public static ConfigKey secret(String name) {
        return new ConfigKey(name, "none", true);
    }
}
