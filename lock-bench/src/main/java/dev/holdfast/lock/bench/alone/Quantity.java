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

    private static final double LARGE = 100;
    private static final double SMALL = 10;

    /** The value, with as many digits as are of interest. */
    public String text() {
        double size = Math.abs(value);
        String format = size >= LARGE || value == Math.rint(value) ? "%,.0f" : size >= SMALL ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%-88s %14s %s", what, text(), unit);
    }
}
