package dev.holdfast.lock.bench.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The events of a demo, and whether they are those that the demo is to show. Instants are of {@link System#nanoTime()}, which all
 * processes of a machine share.
 *
 * @param holdings in the order in which they ended
 * @param authorityChanges of the composite
 */
record Timeline(
        long start, long end, List<Holding> holdings, List<AuthorityChange> authorityChanges, List<Fault> faults) {

    /** The authority's name for the store while none grants. */
    static final String NO_STORE = "none"; // as FailoverStatus.active() says

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
     * An interval in which a process believes that it holds the lock.
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
     * A change of the store that grants.
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

    /** An interval in which two processes believe that they hold the lock. */
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
                long end = Math.min(inOrder.get(i).to(), later.to());
                if (later.from() < end) {
                    overlaps.add(new Overlap(later.from(), end));
                }
            }
        }
        return overlaps;
    }

    /** The seconds from the start to this instant. */
    double seconds(long instant) {
        return (instant - start) / 1e9;
    }

    /** Whether plain Redis had two holders at once, the composite never had, and its first holder kept the lock. */
    boolean isAsExpected() {
        return !overlaps(Side.PLAIN).isEmpty()
                && overlaps(Side.COMPOSITE).isEmpty()
                && survivor().isPresent()
                && tokensIncrease();
    }

    /** The events in words. */
    List<String> verdict() {
        List<String> lines = new ArrayList<>();
        for (Side side : Side.values()) {
            for (Holding holding : holdings(side)) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%-11s  %-4s  from %4.1f s to %4.1f s  token %d  granted by %s%s",
                        side.title,
                        holding.holder(),
                        seconds(holding.from()),
                        seconds(holding.to()),
                        holding.token(),
                        holding.grantedBy(),
                        holding.isLost() ? ", lost" : ""));
            }
        }
        lines.add("");
        for (Side side : Side.values()) {
            lines.add(side.title + ": " + exclusion(side));
        }
        String tokens = tokensIncrease() ? "every token was greater than the one before" : "TOKENS DID NOT INCREASE";
        lines.add(Side.COMPOSITE.title + ": "
                + survivor()
                        .map(holding -> holding.holder() + " kept its lock through the failover, and " + tokens)
                        .orElse("THE HOLDER LOST THE LOCK"));
        return lines;
    }

    private String exclusion(Side side) {
        if (overlaps(side).isEmpty()) {
            return "never did two hold the lock at once";
        }
        double seconds = overlaps(side).stream()
                .mapToDouble(overlap -> (overlap.to() - overlap.from()) / 1e9)
                .sum();
        return String.format(Locale.ROOT, "TWO HELD THE LOCK AT ONCE, for %.1f s", seconds);
    }

    /** The composite's first holder, if it reported no loss and still held the lock when the other store began to grant. */
    private Optional<Holding> survivor() {
        return holdings(Side.COMPOSITE).stream()
                .findFirst()
                .filter(holding -> !holding.isLost())
                .filter(holding -> authorityChanges.stream()
                        .anyMatch(change -> holding.from() <= change.from()
                                && change.from() < holding.to()
                                && !change.grants().equals(holding.grantedBy())
                                && !change.grants().equals(Timeline.NO_STORE)));
    }

    private boolean tokensIncrease() {
        List<Long> tokens =
                holdings(Side.COMPOSITE).stream().map(Holding::token).toList();
        return tokens.equals(tokens.stream().sorted().distinct().toList());
    }
}
