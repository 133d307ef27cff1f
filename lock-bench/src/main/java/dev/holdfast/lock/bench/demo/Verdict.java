package dev.holdfast.lock.bench.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What was shown, and whether it is what was to be shown. */
final class Verdict {

    private final Facts facts;

    Verdict(Facts facts) {
        this.facts = facts;
    }

    /** Whether plain Redis had two holders at once, and the composite had none and kept the lock of who held it. */
    boolean isAsExpected() {
        return twice(Side.PLAIN) > 0 && twice(Side.COMPOSITE) == 0 && survivor().isPresent() && tokensRise();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Side side : Side.values()) {
            for (Holding holding : facts.of(side)) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%-11s  %-4s  from %4.1f s to %4.1f s  token %d  granted by %s%s",
                        side.title(),
                        holding.holder(),
                        facts.seconds(holding.from()),
                        facts.seconds(holding.to()),
                        holding.token(),
                        holding.grantedBy(),
                        holding.isLost() ? ", lost" : ""));
            }
        }
        lines.add("");
        for (Side side : Side.values()) {
            lines.add(side.title() + ": " + exclusion(side));
        }
        lines.add(Side.COMPOSITE.title() + ": "
                + survivor()
                        .map(holding -> holding.holder() + " kept its lock through the failover, and "
                                + (tokensRise()
                                        ? "every token was greater than the one before"
                                        : "TOKENS DID NOT RISE"))
                        .orElse("WHO HELD THE LOCK LOST IT"));
        return lines;
    }

    private String exclusion(Side side) {
        long twice = twice(side);
        return twice == 0
                ? "never did two hold the lock at once"
                : String.format(Locale.ROOT, "TWO HELD THE LOCK AT ONCE, for %.1f s", Facts.length(twice));
    }

    /** For how many nanoseconds two held the lock at once. */
    private long twice(Side side) {
        return facts.twice(side).stream().mapToLong(Facts.Span::nanos).sum();
    }

    /** The composite's first holder, if it still held the lock when the other store came to grant, and was not told of a loss. */
    private Optional<Holding> survivor() {
        return facts.of(Side.COMPOSITE).stream()
                .findFirst()
                .filter(holding -> !holding.isLost())
                .filter(holding -> facts.reigns().stream()
                        .anyMatch(reign -> holding.covers(reign.from())
                                && !reign.grants().equals(holding.grantedBy())
                                && !reign.grants().equals(RegimeWatch.NOBODY)));
    }

    private boolean tokensRise() {
        List<Long> tokens =
                facts.of(Side.COMPOSITE).stream().map(Holding::token).toList();
        return tokens.equals(tokens.stream().sorted().distinct().toList());
    }
}
