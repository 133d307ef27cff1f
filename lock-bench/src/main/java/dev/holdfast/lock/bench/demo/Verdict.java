package dev.holdfast.lock.bench.demo;

import dev.holdfast.lock.bench.demo.Timeline.Holding;
import dev.holdfast.lock.bench.demo.Timeline.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a timeline shows, and whether it is what the demo is to show. */
record Verdict(Timeline timeline) {

    /** Whether plain Redis had two holders at once, the composite never had, and its first holder kept the lock. */
    boolean isAsExpected() {
        return !timeline.overlaps(Side.PLAIN).isEmpty()
                && timeline.overlaps(Side.COMPOSITE).isEmpty()
                && survivor().isPresent()
                && tokensIncrease();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Side side : Side.values()) {
            for (Holding holding : timeline.holdings(side)) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%-11s  %-4s  from %4.1f s to %4.1f s  token %d  granted by %s%s",
                        side.title,
                        holding.holder(),
                        timeline.seconds(holding.from()),
                        timeline.seconds(holding.to()),
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
        if (timeline.overlaps(side).isEmpty()) {
            return "never did two hold the lock at once";
        }
        double seconds = timeline.overlaps(side).stream()
                .mapToDouble(overlap -> (overlap.to() - overlap.from()) / 1e9)
                .sum();
        return String.format(Locale.ROOT, "TWO HELD THE LOCK AT ONCE, for %.1f s", seconds);
    }

    /** The composite's first holder, if it was not told of a loss and still held the lock when the other store began to grant. */
    private Optional<Holding> survivor() {
        return timeline.holdings(Side.COMPOSITE).stream()
                .findFirst()
                .filter(holding -> !holding.isLost())
                .filter(holding -> timeline.authorityChanges().stream()
                        .anyMatch(change -> holding.from() <= change.from()
                                && change.from() < holding.to()
                                && !change.grants().equals(holding.grantedBy())
                                && !change.grants().equals(Timeline.NO_STORE)));
    }

    private boolean tokensIncrease() {
        List<Long> tokens =
                timeline.holdings(Side.COMPOSITE).stream().map(Holding::token).toList();
        return tokens.equals(tokens.stream().sorted().distinct().toList());
    }
}
