package dev.holdfast.lock.bench.measurement;

import java.util.Locale;

/** A metric of a scenario, with its name in files, its title in tables and its unit. */
public enum Metric {
    P50("p50Micros", "p50", "µs", false),
    P99("p99Micros", "p99", "µs", false),
    P999("p999Micros", "p99.9", "µs", false),
    THROUGHPUT("pairsPerSecond", "pairs", "/s", true),
    TOTAL("totalMillis", "total", "ms", false),
    LONGEST_WAIT("longestWaitMillis", "longest wait", "ms", false),
    LONGEST_WAIT_FOR_ALL("longestWaitForAllMillis", "longest wait for all of it", "ms", false),
    OVERTAKEN("overtaken", "overtaken", "", false),
    OVERTAKEN_WITHIN("overtakenWithinProcess", "overtaken within its process", "", false),
    LARGEST_OVERTAKE("largestOvertakeMillis", "largest head start lost", "ms", false);

    public final String id;
    public final String title;
    public final String unit;
    public final boolean isBetterWhenMore;

    Metric(String id, String title, String unit, boolean isBetterWhenMore) {
        this.id = id;
        this.title = title;
        this.unit = unit;
        this.isBetterWhenMore = isBetterWhenMore;
    }

    /** The title with the unit. */
    public String heading() {
        return unit.isEmpty() ? title : title + ", " + unit;
    }

    /** A value with its significant digits. */
    public String format(double value) {
        if (this == OVERTAKEN || this == OVERTAKEN_WITHIN || value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
    }

    /** A value with its significant digits and its unit. */
    public String formatWithUnit(double value) {
        return unit.isEmpty() ? format(value) : format(value) + " " + unit;
    }
}
