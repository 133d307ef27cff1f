package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Measurement;
import dev.holdfast.lock.bench.measure.Outcome.Measured;
import dev.holdfast.lock.bench.measure.Outcome.Missing;
import dev.holdfast.lock.bench.measure.Quantiles;
import dev.holdfast.lock.bench.measure.Reading;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All measurements of a run, looked at over its rounds. */
public final class Summary {

    private static final double MICRO = 1e3;

    private final List<Measurement> measurements;

    /** Of these. */
    public Summary(List<Measurement> measurements) {
        this.measurements = List.copyOf(measurements);
    }

    /**
     * A figure over all rounds.
     *
     * @param value of the rare ones, p99 and p99.9, the quantile of the samples of all rounds; of others the median of the rounds
     * @param least of a round
     * @param most of a round
     */
    public record Over(double value, double least, double most) {}

    /** All of them. */
    public List<Measurement> measurements() {
        return measurements;
    }

    /** The scenarios, in the order in which they were measured. */
    public List<Scenario> scenarios() {
        return measurements.stream().map(Measurement::scenario).distinct().toList();
    }

    /** The candidates that took part in it, in the order of all candidates. */
    public List<Candidate> candidates(Scenario scenario, List<Candidate> all) {
        return all.stream()
                .filter(candidate -> measurements.stream().anyMatch(each -> is(each, scenario.id(), candidate.id())))
                .toList();
    }

    /** A figure of a candidate; empty if there is none. */
    public Optional<Over> figure(String scenario, String candidate, Figure figure) {
        List<Reading> readings = readings(scenario, candidate);
        List<Double> values = new ArrayList<>();
        List<Long> samples = new ArrayList<>();
        for (Reading reading : readings) {
            reading.value(figure).ifPresent(values::add);
            samples.addAll(reading.samples());
        }
        if (values.isEmpty()) {
            return Optional.empty();
        }
        Quantiles rounds = Quantiles.of(values);
        double value = switch (figure) {
            case P99 -> Quantiles.of(samples).at(0.99) / MICRO;
            case P999 -> Quantiles.of(samples).at(0.999) / MICRO;
            default -> rounds.median();
        };
        return Optional.of(new Over(value, rounds.least(), rounds.most()));
    }

    /** Why a candidate has no figures of some round; empty if it has them of all. */
    public Optional<String> missing(String scenario, String candidate) {
        return measurements.stream()
                .filter(each -> is(each, scenario, candidate))
                .map(Measurement::outcome)
                .flatMap(outcome -> outcome instanceof Missing missing
                        ? Optional.of(missing.why()).stream()
                        : Optional.<String>empty().stream())
                .findFirst();
    }

    private List<Reading> readings(String scenario, String candidate) {
        List<Reading> readings = new ArrayList<>();
        for (Measurement each : measurements) {
            if (is(each, scenario, candidate) && each.outcome() instanceof Measured measured) {
                readings.add(measured.reading());
            }
        }
        return readings;
    }

    private static boolean is(Measurement measurement, String scenario, String candidate) {
        return measurement.scenario().id().equals(scenario)
                && measurement.candidate().id().equals(candidate);
    }
}
