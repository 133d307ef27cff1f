package dev.holdfast.lock.bench.alone;

import java.util.Locale;

/**
 * Something that was measured.
 *
 * @param what in words, such as {@code heap per lease}
 * @param value in units
 * @param unit such as {@code bytes}
 */
public record Quantity(String what, double value, String unit) {

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%-88s %,14.3f %s", what, value, unit);
    }
}
