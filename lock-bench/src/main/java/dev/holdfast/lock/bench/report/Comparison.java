package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Figure;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Figures of one run beside each other. */
final class Comparison {

    private final Summary run;

    Comparison(Summary run) {
        this.run = run;
    }

    /** A value of somebody. */
    private record Score(String who, double value) {
        private String text(Figure figure) {
            return who + " " + figure.text(value) + (figure.unit().isEmpty() ? "" : " " + figure.unit());
        }
    }

    /** Ours, divided by that of the best of the peers: at most the limit, or at least, if more is better. */
    Target ratio(String what, double limit, String scenario, Figure figure, String ours, List<String> peers) {
        Comparator<Score> better = Comparator.comparing(Score::value);
        Optional<Score> our = score(scenario, figure, ours);
        Optional<Score> best = peers.stream()
                .flatMap(peer -> score(scenario, figure, peer).stream())
                .min(figure.isBetterWhenMore() ? better.reversed() : better);
        boolean isAtMost = !figure.isBetterWhenMore();
        if (our.isEmpty() || best.isEmpty()) {
            return missing(what, isAtMost, limit, scenario, our.isEmpty() ? List.of(ours) : peers);
        }
        return new Target(
                what,
                isAtMost,
                limit,
                our.get().value() / best.get().value(),
                our.get().text(figure) + ", " + best.get().text(figure));
    }

    /** The greatest of all rounds, of one alone. */
    Target most(String what, double limit, String scenario, Figure figure, String ours) {
        return run.figure(scenario, ours, figure)
                .map(over -> new Target(what, true, limit, over.most(), new Score(ours, over.most()).text(figure)))
                .orElseGet(() -> missing(what, true, limit, scenario, List.of(ours)));
    }

    /** One figure of one candidate, divided by another one. */
    Target within(String what, double limit, String scenario, String ours, Figure part, Figure whole) {
        Optional<Score> one = score(scenario, part, ours);
        Optional<Score> other = score(scenario, whole, ours);
        if (one.isEmpty() || other.isEmpty()) {
            return missing(what, true, limit, scenario, List.of(ours));
        }
        return new Target(
                what,
                true,
                limit,
                one.get().value() / other.get().value(),
                one.get().text(part) + ", " + other.get().text(whole));
    }

    private Optional<Score> score(String scenario, Figure figure, String candidate) {
        return run.figure(scenario, candidate, figure).map(over -> new Score(candidate, over.value()));
    }

    private static Target missing(
            String what, boolean isAtMost, double limit, String scenario, List<String> candidates) {
        return new Target(
                what, isAtMost, limit, null, "no figure of " + String.join(", ", candidates) + " in " + scenario);
    }
}
