package dev.holdfast.lock.spi;

import java.util.Objects;

/**
 * A configuration key that a provider reads.
 *
 * @param name such as {@code lock.mine.url}; begins with {@code lock.}
 * @param otherwise what holds if it is not set, for people: a value such as {@code 8}, or words such as
 *     {@code must be set}
 * @param secret whether its value is shown to nobody: a password, an access token
 */
public record Key(String name, String otherwise, boolean secret) {

    private static final String BEGINNING = "lock.";

    /** @throws IllegalArgumentException if the name does not begin with {@code lock.} */
    public Key {
        Objects.requireNonNull(otherwise);
        if (!name.startsWith(BEGINNING)) {
            throw new IllegalArgumentException("a key begins with " + BEGINNING + ": '" + name + "'");
        }
    }

    /** A key that must be set. */
    public static Key required(String name) {
        return new Key(name, "must be set", false);
    }

    /** A key that need not be set; then this holds. */
    public static Key optional(String name, String otherwise) {
        return new Key(name, otherwise, false);
    }

    /** A key that need not be set, and whose value is shown to nobody. */
    public static Key secret(String name) {
        return new Key(name, "none", true);
    }
}
