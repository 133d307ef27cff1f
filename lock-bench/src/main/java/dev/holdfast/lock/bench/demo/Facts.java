package dev.holdfast.lock.bench.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * All that happened.
 *
 * @param start when the first asked for a lock
 * @param end when the last one had given it back
 * @param holdings in the order in which they began
 * @param reigns in their order
 * @param faults in their order
 */
record Facts(long start, long end, List<Holding> holdings, List<Reign> reigns, List<Fault> faults) {

    private static final double SECOND = 1e9;

    List<Holding> of(Side side) {
        return holdings.stream()
                .filter(holding -> holding.side() == side)
                .sorted(Comparator.comparing(Holding::from))
                .toList();
    }

    /**
     * A while.
     *
     * @param from when it began
     * @param to when it was over
     */
    record Span(long from, long to) {
        long nanos() {
            return to - from;
        }
    }

    /** When two held the lock at once. */
    List<Span> twice(Side side) {
        List<Holding> holdings = of(side);
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < holdings.size(); i++) {
            for (Holding later : holdings.subList(i + 1, holdings.size())) {
                long to = Math.min(holdings.get(i).to(), later.to());
                if (later.from() < to) {
                    spans.add(new Span(later.from(), to));
                }
            }
        }
        return spans;
    }

    double seconds(long instant) {
        return (instant - start) / SECOND;
    }

    static double length(long nanos) {
        return nanos / SECOND;
    }
}
