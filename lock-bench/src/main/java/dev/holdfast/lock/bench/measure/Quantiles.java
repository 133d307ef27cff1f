package dev.holdfast.lock.bench.measure;

import java.util.Arrays;
import java.util.Collection;

/** The values below which a share of all samples is. */
public final class Quantiles {

    private final double[] sorted;

    private Quantiles(double[] sorted) {
        this.sorted = sorted;
    }

    /** Of these, in any order. */
    public static Quantiles of(Collection<? extends Number> samples) {
        if (samples.isEmpty()) {
            throw new IllegalArgumentException("no samples");
        }
        double[] sorted = samples.stream().mapToDouble(Number::doubleValue).toArray();
        Arrays.sort(sorted);
        return new Quantiles(sorted);
    }

    /** The least sample that is not below this share of all: always one that was measured. */
    public double at(double share) {
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(0, Math.min(sorted.length, rank) - 1)];
    }

    /** The one in the middle, or the mean of both that are. */
    public double median() {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The least. */
    public double least() {
        return sorted[0];
    }

    /** The greatest. */
    public double most() {
        return sorted[sorted.length - 1];
    }
}
