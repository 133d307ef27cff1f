package dev.holdfast.lock.spi;

import java.util.Locale;

/**
 * The name of a lock within its namespace: 1 to 255 code points, without U+0000 (no SQL text holds it) and lone surrogates (no
 * UTF-8 holds them). Case-sensitive, compared and ordered code point by code point, never normalized.
 *
 * @param value the name itself
 */
public record LockName(String value) implements Comparable<LockName> {

    /** The maximum length of a name in code points. */
    public static final int MAX_CODE_POINTS = 255;

    /** @throws IllegalArgumentException if the value is not allowed, with the reason */
    public LockName {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("a lock's name must not be empty");
        }
        int codePoints = value.codePointCount(0, value.length());
        if (codePoints > MAX_CODE_POINTS) {
            throw new IllegalArgumentException(
                    "a lock's name has at most " + MAX_CODE_POINTS + " code points, this one has " + codePoints + ": "
                            + value.substring(0, value.offsetByCodePoints(0, 40)) + "…");
        }
        for (int at = 0; at < value.length(); at += Character.charCount(value.codePointAt(at))) {
            int codePoint = value.codePointAt(at);
            if (codePoint == 0) {
                throw new IllegalArgumentException("a lock's name must not contain U+0000 (at index " + at + ")");
            }
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "a lock's name must not contain a lone surrogate (U+%04X at index %d)",
                        codePoint,
                        at));
            }
        }
    }

    /** By code points, as the bytes of UTF-8 are ordered; the order of a {@link String} differs beyond U+FFFF. */
    @Override
    public int compareTo(LockName other) {
        int at = 0;
        while (at < value.length() && at < other.value.length()) {
            int codePoint = value.codePointAt(at);
            int others = other.value.codePointAt(at);
            if (codePoint != others) {
                return Integer.compare(codePoint, others);
            }
            at += Character.charCount(codePoint);
        }
        return Integer.compare(value.length(), other.value.length());
    }

    @Override
    public String toString() {
        return value;
    }
}
