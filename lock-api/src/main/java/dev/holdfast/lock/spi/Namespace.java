package dev.holdfast.lock.spi;

import java.util.regex.Pattern;

/**
 * Separates the lock names of applications that share a store.
 *
 * @param value 1 to 64 of {@code A-Z a-z 0-9 . _ -}
 */
public record Namespace(String value) {

    /** The allowed values, as a regular expression. */
    public static final String ALLOWED = "[A-Za-z0-9._-]{1,64}";

    private static final Pattern PATTERN = Pattern.compile(ALLOWED);

    /** @throws IllegalArgumentException if the value is not allowed */
    public Namespace {
        if (!PATTERN.matcher(value).matches()) {
            throw new IllegalArgumentException("a namespace must match " + ALLOWED + ": '" + value + "'");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
