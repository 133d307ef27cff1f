package dev.holdfast.lock.bench.measure;

import java.util.Locale;

/** Something that is measured, in a unit. */
public enum Figure {
    P50("p50Micros", "p50", "µs", false),
    P99("p99Micros", "p99", "µs", false),
    P999("p999Micros", "p99.9", "µs", false),
    THROUGHPUT("pairsPerSecond", "pairs", "/s", true),
    TOTAL("totalMillis", "all", "ms", false),
    LONGEST_WAIT("longestWaitMillis", "longest wait", "ms", false),
    OVERTAKEN("overtaken", "overtaken", "", false),
    OVERTAKEN_WITHIN("overtakenWithinProcess", "by one of its own process", "", false),
    LARGEST_OVERTAKE("largestOvertakeMillis", "largest head start lost", "ms", false);

    private final String id;
    private final String title;
    private final String unit;
    private final boolean isBetterWhenMore;

    Figure(String id, String title, String unit, boolean isBetterWhenMore) {
        this.id = id;
        this.title = title;
        this.unit = unit;
        this.isBetterWhenMore = isBetterWhenMore;
    }

    /** What it is called in a file. */
    public String id() {
        return id;
    }

    /** What it is called in a table. */
    public String title() {
        return title;
    }

    /** What it is measured in; may be empty. */
    public String unit() {
        return unit;
    }

    /** Whether more of it is better. */
    public boolean isBetterWhenMore() {
        return isBetterWhenMore;
    }

    /** With as many digits as are of interest. */
    public String text(double value) {
        if (this == OVERTAKEN || this == OVERTAKEN_WITHIN || value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
    }
}
