package dev.holdfast.lock.bench.measure;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one scenario of one round came to.
 *
 * @param samples in nanoseconds, of which the quantiles of all rounds are made; empty if it has none
 */
public record Reading(Map<Figure, Double> figures, List<Long> samples) {

    static final double MICRO = 1e3;
    static final double MILLI = 1e6;

    /** The value of one of them; empty if that was not measured. */
    public Optional<Double> value(Figure figure) {
        return Optional.ofNullable(figures.get(figure));
    }

    static Reading of(Map<Figure, Double> figures) {
        return new Reading(figures, List.of());
    }
}
