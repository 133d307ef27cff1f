package dev.holdfast.lock.bench.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What happened in a demo. Instants are of {@link System#nanoTime()}, which all processes of a machine share.
 *
 * @param holdings in the order in which they ended
 * @param authorityChanges of the composite
 */
record Timeline(
        long start, long end, List<Holding> holdings, List<AuthorityChange> authorityChanges, List<Fault> faults) {

    /** What the authority says while no store grants. */
    static final String NO_STORE = "nobody";

    /** The system that grants a lock. */
    enum Side {
        PLAIN("plain Redis"),
        COMPOSITE("composite");

        final String title;

        Side(String title) {
            this.title = title;
        }
    }

    /**
     * A process believes that it holds the lock.
     *
     * @param asked when it asked for the lock
     * @param from when it learned that it holds the lock
     * @param to when it released the lock or learned of the loss
     * @param grantedBy the store
     */
    record Holding(
            Side side, String holder, long asked, long from, long to, long token, String grantedBy, boolean isLost) {

        Holding ended(long at, boolean lost) {
            return new Holding(side, holder, asked, from, at, token, grantedBy, lost);
        }
    }

    /**
     * Another store grants.
     *
     * @param grants the store, or {@value #NO_STORE}
     */
    record AuthorityChange(String grants, long from) {}

    /**
     * A fault of the servers.
     *
     * @param letter in the chart
     */
    record Fault(char letter, String what, long at) {}

    /** Two processes believe that they hold the lock. */
    record Overlap(long from, long to) {}

    List<Holding> holdings(Side side) {
        return holdings.stream()
                .filter(holding -> holding.side() == side)
                .sorted(Comparator.comparing(Holding::from))
                .toList();
    }

    List<Overlap> overlaps(Side side) {
        List<Holding> inOrder = holdings(side);
        List<Overlap> overlaps = new ArrayList<>();
        for (int i = 0; i < inOrder.size(); i++) {
            for (Holding later : inOrder.subList(i + 1, inOrder.size())) {
                long to = Math.min(inOrder.get(i).to(), later.to());
                if (later.from() < to) {
                    overlaps.add(new Overlap(later.from(), to));
                }
            }
        }
        return overlaps;
    }

    /** Since the start. */
    double seconds(long instant) {
        return (instant - start) / 1e9;
    }
}
