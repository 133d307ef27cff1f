package dev.holdfast.lock.bench.measurement;

import java.util.Collection;

/** The percentiles of a set of samples. */
public final class Percentiles {

    private final double[] sorted;

    /** @param samples at least one, in any order */
    public Percentiles(Collection<? extends Number> samples) {
        if (samples.isEmpty()) {
            throw new IllegalArgumentException("no samples");
        }
        sorted = samples.stream().mapToDouble(Number::doubleValue).sorted().toArray();
    }

    /** The smallest sample that at least this share of all samples does not exceed: always a measured one. */
    public double at(double share) {
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(0, Math.min(sorted.length, rank) - 1)];
    }

    /** The middle sample, or the mean of the two middle ones. */
    public double median() {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public double min() {
        return sorted[0];
    }

    public double max() {
        return sorted[sorted.length - 1];
    }
}
