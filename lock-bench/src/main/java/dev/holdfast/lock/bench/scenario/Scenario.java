package dev.holdfast.lock.bench.scenario;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Locks;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.server.BenchServers;
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
 * @param needsShares whether it is about readers and a writer, or permits
 * @param processes the number of processes it needs for each candidate
 * @param threads of each process
 * @param isDistant whether the servers are a round trip of {@link BenchServers#ROUND_TRIP} away
 * @param warmUp of its processes
 * @param rounds the number of first rounds in which it is measured
 */
public record Scenario(
        String id,
        String title,
        List<Metric> metrics,
        boolean needsWaiting,
        boolean needsShares,
        int processes,
        int threads,
        boolean isDistant,
        WarmUp warmUp,
        int rounds,
        Procedure procedure) {

    /** What the processes of a candidate do before a turn. */
    public enum WarmUp {
        /** Uncontended pairs. */
        PAIRS,
        /** The scenario as well: uncontended pairs do not compile its code. */
        REHEARSAL,
        /** A few uncontended pairs, each turn in processes of its own: as an application that has just started. */
        COLD
    }

    /** A scenario beside its servers that is measured in all rounds. */
    Scenario(
            String id,
            String title,
            List<Metric> metrics,
            boolean needsWaiting,
            int processes,
            int threads,
            WarmUp warmUp,
            Procedure procedure) {
        this(id, title, metrics, needsWaiting, false, processes, threads, false, warmUp, Integer.MAX_VALUE, procedure);
    }

    /** Whether this candidate takes part. */
    boolean isFor(Candidate candidate) {
        boolean hasTheLocks = candidate.locks() != (needsShares ? Locks.EXCLUSIVE : Locks.SHARED);
        if (!hasTheLocks || (isDistant && candidate.store() != Store.REDIS)) {
            return false;
        }
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
