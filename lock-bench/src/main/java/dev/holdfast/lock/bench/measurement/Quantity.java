package dev.holdfast.lock.bench.measurement;

import java.util.Locale;

/**
 * A measured value that has no peer to be compared with.
 *
 * @param what in words, such as {@code heap per lease}
 * @param unit such as {@code bytes}
 */
public record Quantity(String what, double value, String unit) {

    /** The value with its significant digits. */
    public String text() {
        double size = Math.abs(value);
        String format = size >= 100 || value == Math.rint(value) ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%-88s %14s %s", what, text(), unit);
    }
}
