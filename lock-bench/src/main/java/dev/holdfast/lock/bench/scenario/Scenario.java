package dev.holdfast.lock.bench.scenario;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A workload for comparing candidates.
 *
 * @param id on the command line and in files
 * @param title in tables
 * @param metrics the most telling one first
 * @param needsWaiting whether it excludes candidates that do not wait for a busy lock
 * @param processes the number of processes it needs for each candidate
 * @param threads of each process
 * @param isRehearsed whether it has its own warm-up: the uncontended one does not compile its code
 * @param rounds the number of first rounds in which it is measured
 */
public record Scenario(
        String id,
        String title,
        List<Metric> metrics,
        boolean needsWaiting,
        int processes,
        int threads,
        boolean isRehearsed,
        int rounds,
        Procedure procedure) {

    /** A scenario that is measured in all rounds. */
    Scenario(
            String id,
            String title,
            List<Metric> metrics,
            boolean needsWaiting,
            int processes,
            int threads,
            boolean isRehearsed,
            Procedure procedure) {
        this(id, title, metrics, needsWaiting, processes, threads, isRehearsed, Integer.MAX_VALUE, procedure);
    }

    /** Whether this candidate takes part. */
    boolean isFor(Candidate candidate) {
        boolean isWithinProcess = needsWaiting && processes == 1;
        return candidate.store() == Store.PROCESS ? isWithinProcess : candidate.waits() || !needsWaiting;
    }

    /** Measures a candidate that is open in each of these processes. */
    @FunctionalInterface
    interface Procedure {
        /**
         * Measures once.
         *
         * @param lock a name that was never used
         * @param deadline of {@link System#nanoTime()}, for each reply of a process
         */
        Sample measure(List<CandidateProcess> processes, String lock, long deadline) throws Exception;
    }

    /**
     * The result of one turn.
     *
     * @param nanos the single latencies, from which the percentiles of all rounds are computed; empty if there are none
     */
    public record Sample(Map<Metric, Double> values, List<Long> nanos) {
        public Optional<Double> value(Metric metric) {
            return Optional.ofNullable(values.get(metric));
        }
    }
}
