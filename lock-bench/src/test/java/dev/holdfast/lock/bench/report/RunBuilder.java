package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.scenario.Comparison.Turn;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import dev.holdfast.lock.bench.scenario.Scenarios;
import dev.holdfast.lock.bench.scenario.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A run with figures that were not measured. */
final class RunBuilder {

    private static final List<Scenario> SCENARIOS = Scenarios.all(Workload.QUICK);

    private final List<Turn> turns = new ArrayList<>();
    private final List<Candidate> candidates = new ArrayList<>();

    RunBuilder measured(int round, String scenario, String candidate, Map<Metric, Double> values, Long... samples) {
        return add(round, scenario, candidate, Result.of(new Sample(values, List.of(samples))));
    }

    RunBuilder timedOut(int round, String scenario, String candidate) {
        return add(round, scenario, candidate, Result.missing(Status.TIMED_OUT, "did not finish within 30 s"));
    }

    private RunBuilder add(int round, String scenario, String candidate, Result<Sample> result) {
        turns.add(new Turn(round, scenario(scenario), candidate(candidate), result));
        return this;
    }

    Summary summary() {
        return new Summary(turns);
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
                    Candidate candidate =
                            new Candidate(id, "The <" + id + ">", Store.REDIS, true, "as it is", endpoints -> {
                                throw new IllegalStateException("it is never opened");
                            });
                    candidates.add(candidate);
                    return candidate;
                });
    }
}
