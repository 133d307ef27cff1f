package dev.holdfast.lock.bench.scenario;

import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import dev.holdfast.lock.bench.server.BenchServers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * All turns of a run. In each round all candidates go through one scenario, in a random order, before the next scenario:
 * changes on the machine meanwhile affect all alike.
 */
public final class Comparison implements AutoCloseable {

    /** The JVM options of each candidate's process: a collector without its own threads, as there are many processes. */
    public static final String JVM_OPTIONS = "-XX:+UseSerialGC -Xmx512m";

    private final Workload workload;
    private final BenchServers servers;
    private final Random random;
    private final Map<Candidate, CandidateProcesses> processes = new HashMap<>();
    private final Set<String> timedOut = new HashSet<>();

    /**
     * One measurement of a candidate.
     *
     * @param round from 1
     */
    public record Turn(int round, Scenario scenario, Candidate candidate, Result<Sample> result) {}

    /** @param seed of the order of turns */
    public Comparison(Workload workload, BenchServers servers, long seed) {
        this.workload = workload;
        this.servers = servers;
        this.random = new Random(seed);
    }

    /** Measures all candidates, and reports each turn when it has ended. */
    public List<Turn> measure(List<Scenario> scenarios, List<Candidate> candidates, Consumer<Turn> progress)
            throws InterruptedException {
        List<Turn> turns = new ArrayList<>();
        for (int round = 1; round <= workload.rounds(); round++) {
            for (Scenario scenario : scenarios) {
                List<Candidate> order = new ArrayList<>(round > scenario.rounds() ? List.of() : candidates);
                order.removeIf(candidate -> !scenario.isFor(candidate));
                Collections.shuffle(order, random);
                for (Candidate candidate : order) {
                    Turn turn = new Turn(round, scenario, candidate, measure(round, scenario, candidate));
                    progress.accept(turn);
                    turns.add(turn);
                }
            }
        }
        return turns;
    }

    private Result<Sample> measure(int round, Scenario scenario, Candidate candidate) throws InterruptedException {
        String key = scenario.id() + "-" + candidate.id();
        if (timedOut.contains(key)) {
            return Result.missing(Status.TIMED_OUT, "did not finish in an earlier round, not retried");
        }
        Result<Sample> result = processes
                .computeIfAbsent(candidate, each -> new CandidateProcesses(each, servers, workload))
                .measure(scenario, "bench-" + key + "-" + round, workload.limit());
        if (result.status() == Status.TIMED_OUT) {
            timedOut.add(key);
        }
        return result;
    }

    @Override
    public void close() {
        processes.values().forEach(CandidateProcesses::close);
    }
}
