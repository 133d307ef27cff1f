package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Effort;
import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Measurement;
import dev.holdfast.lock.bench.measure.Outcome;
import dev.holdfast.lock.bench.measure.Reading;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Figures as if somebody had measured them. */
final class Run {

    private static final List<Scenario> SCENARIOS = Scenario.all(Effort.QUICK);

    private final List<Measurement> measurements = new ArrayList<>();
    private final List<Candidate> candidates = new ArrayList<>();

    Run measured(int round, String scenario, String candidate, Map<Figure, Double> figures, Long... samples) {
        return add(round, scenario, candidate, new Outcome.Measured(new Reading(figures, List.of(samples))));
    }

    Run unfinished(int round, String scenario, String candidate) {
        return add(round, scenario, candidate, new Outcome.Unfinished("did not finish within 30 s"));
    }

    private Run add(int round, String scenario, String candidate, Outcome outcome) {
        measurements.add(new Measurement(round, scenario(scenario), candidate(candidate), outcome));
        return this;
    }

    Summary summary() {
        return new Summary(measurements);
    }

    List<Candidate> candidates() {
        return candidates;
    }

    private static Scenario scenario(String id) {
        return SCENARIOS.stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private Candidate candidate(String id) {
        return candidates.stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseGet(() -> {
                    Candidate candidate = new Candidate(
                            id, "The <" + id + ">", Store.REDIS, id.startsWith("holdfast"), true, "as it is", place -> {
                                throw new IllegalStateException("only named");
                            });
                    candidates.add(candidate);
                    return candidate;
                });
    }
}
