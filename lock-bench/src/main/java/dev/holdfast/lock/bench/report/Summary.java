package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Percentiles;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.scenario.Comparison.Turn;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All turns of a run, aggregated over its rounds. */
public record Summary(List<Turn> turns) {

    private static final double MICRO = 1e3;

    /**
     * A metric over all rounds.
     *
     * @param value for p99 and p99.9 the percentile of the latencies of all rounds, otherwise the median of the rounds
     * @param min of a round
     * @param max of a round
     */
    public record Aggregate(double value, double min, double max) {}

    /** The scenarios in the order in which they were measured. */
    public List<Scenario> scenarios() {
        return turns.stream().map(Turn::scenario).distinct().toList();
    }

    /** The candidates that had a turn. */
    public List<Candidate> candidates(Scenario scenario, List<Candidate> candidates) {
        return candidates.stream()
                .filter(candidate ->
                        turns(scenario.id(), candidate.id()).findAny().isPresent())
                .toList();
    }

    /** A metric of a candidate; empty if it was not measured. */
    public Optional<Aggregate> aggregate(String scenario, String candidate, Metric metric) {
        List<Sample> samples = turns(scenario, candidate)
                .flatMap(turn -> turn.result().measured().stream())
                .toList();
        List<Double> values = samples.stream()
                .flatMap(sample -> sample.value(metric).stream())
                .toList();
        if (values.isEmpty()) {
            return Optional.empty();
        }
        Percentiles rounds = new Percentiles(values);
        double value = switch (metric) {
            case P99 -> latencies(samples).at(0.99) / MICRO;
            case P999 -> latencies(samples).at(0.999) / MICRO;
            default -> rounds.median();
        };
        return Optional.of(new Aggregate(value, rounds.min(), rounds.max()));
    }

    private static Percentiles latencies(List<Sample> samples) {
        return new Percentiles(
                samples.stream().flatMap(sample -> sample.nanos().stream()).toList());
    }

    /** The first line of the reason why a candidate was not measured in some round; empty if it was in all. */
    public Optional<String> missing(String scenario, String candidate) {
        return turns(scenario, candidate)
                .flatMap(turn -> turn.result().missing().stream())
                .flatMap(String::lines)
                .findFirst();
    }

    private Stream<Turn> turns(String scenario, String candidate) {
        return turns.stream()
                .filter(turn -> turn.scenario().id().equals(scenario)
                        && turn.candidate().id().equals(candidate));
    }
}
