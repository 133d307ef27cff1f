package dev.holdfast.lock.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.alone.Quantity;
import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Measurement;
import dev.holdfast.lock.bench.measure.Outcome;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that was measured, as it is written to a file for programs.
 *
 * @param turns each turn of each round, in their order
 * @param figures over all rounds
 * @param observations of Holdfast alone
 * @param targets as ratios of figures, or quantities
 */
record Results(
        Environment environment,
        List<Who> candidates,
        List<What> scenarios,
        List<Turn> turns,
        List<Total> figures,
        List<Seen> observations,
        List<Aim> targets) {

    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    /** A candidate. */
    record Who(String id, String title, String store, boolean waits, String configuration) {}

    /** A scenario. */
    record What(String id, String title) {}

    /**
     * What one turn came to.
     *
     * @param missing why it came to nothing, if so
     */
    record Turn(
            int round,
            String scenario,
            String candidate,
            Map<String, Double> figures,
            @Nullable String missing) {}

    /** A figure over all rounds. */
    record Total(String scenario, String candidate, String figure, double value, double least, double most) {}

    /**
     * What Holdfast went through alone.
     *
     * @param missing why it came to nothing, if so
     */
    record Seen(
            String id,
            String title,
            List<Quantity> quantities,
            @Nullable String missing) {
        private static Seen of(Observed observed) {
            return new Seen(
                    observed.id(),
                    observed.title(),
                    observed.quantities(),
                    observed.missing().orElse(null));
        }
    }

    /** Something that was aimed at; of what was not measured, nothing says whether it was met. */
    record Aim(
            String what,
            boolean isAtMost,
            double limit,
            @Nullable Double value,
            @Nullable Boolean met,
            String basis) {
        private static Aim of(Target target) {
            return new Aim(
                    target.what(), target.isAtMost(), target.limit(), target.value(), target.met(), target.basis());
        }
    }

    static Results of(
            Environment environment, List<Candidate> candidates, Summary summary, List<Observed> observations) {
        List<Total> totals = new ArrayList<>();
        for (Scenario scenario : summary.scenarios()) {
            for (Candidate candidate : summary.candidates(scenario, candidates)) {
                for (Figure figure : scenario.figures()) {
                    Optional<Summary.Over> over = summary.figure(scenario.id(), candidate.id(), figure);
                    over.ifPresent(it -> totals.add(
                            new Total(scenario.id(), candidate.id(), figure.id(), it.value(), it.least(), it.most())));
                }
            }
        }
        return new Results(
                environment,
                candidates.stream()
                        .map(each -> new Who(
                                each.id(), each.title(), each.store().name(), each.waits(), each.configuration()))
                        .toList(),
                summary.scenarios().stream()
                        .map(each -> new What(each.id(), each.title()))
                        .toList(),
                summary.measurements().stream().map(Results::turn).toList(),
                totals,
                observations.stream().map(Seen::of).toList(),
                Targets.of(summary, observations).stream().map(Aim::of).toList());
    }

    private static Turn turn(Measurement measurement) {
        Map<String, Double> figures = new LinkedHashMap<>();
        @Nullable String missing = null;
        if (measurement.outcome() instanceof Outcome.Measured measured) {
            for (Figure figure : measurement.scenario().figures()) {
                measured.reading().value(figure).ifPresent(value -> figures.put(figure.id(), value));
            }
        } else if (measurement.outcome() instanceof Outcome.Missing none) {
            missing = none.why();
        }
        return new Turn(
                measurement.round(),
                measurement.scenario().id(),
                measurement.candidate().id(),
                figures,
                missing);
    }

    String json() {
        return GSON.toJson(this) + "\n";
    }
}
