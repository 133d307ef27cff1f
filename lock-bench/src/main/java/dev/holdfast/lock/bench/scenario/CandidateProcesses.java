package dev.holdfast.lock.bench.scenario;

import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task.Action;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import dev.holdfast.lock.bench.scenario.Scenario.WarmUp;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.server.Endpoints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/**
 * The processes of one candidate. They are started when they are first needed and kept, with their compiled code; between two
 * turns the candidate is closed in all of them. A turn that fails kills them, and the next one starts new ones. A cold turn has processes
 * of its own.
 */
final class CandidateProcesses implements AutoCloseable {

    /** The limit for a task that is not measured: beyond it, the process hangs. */
    private static final Duration SETUP_LIMIT = Duration.ofMinutes(2);

    /** Pairs before each turn but the first. */
    private static final int LATER_WARM_UP_PAIRS = 200;

    private static final int MIN_WARM_UP_PAIRS = 3;
    /** All processes but the first have less to do, and a smaller warm-up. */
    private static final int WARM_UP_DIVISOR = 10;

    private final Candidate candidate;
    private final BenchServers servers;
    private final Workload workload;
    private final List<CandidateProcess> processes = new ArrayList<>();
    private final Set<String> rehearsed = new HashSet<>();

    CandidateProcesses(Candidate candidate, BenchServers servers, Workload workload) {
        this.candidate = candidate;
        this.servers = servers;
        this.workload = workload;
    }

    /**
     * Measures the candidate once.
     *
     * @param lock a name that was never used
     */
    Result<Sample> measure(Scenario scenario, String lock, Duration limit) throws InterruptedException {
        if (scenario.warmUp() != WarmUp.COLD) {
            return measureInTheseProcesses(scenario, lock, limit);
        }
        try (CandidateProcesses cold = new CandidateProcesses(candidate, servers, workload)) {
            return cold.measureInTheseProcesses(scenario, lock, limit);
        }
    }

    private Result<Sample> measureInTheseProcesses(Scenario scenario, String lock, Duration limit)
            throws InterruptedException {
        try {
            List<CandidateProcess> open = open(scenario, lock);
            if (scenario.warmUp() == WarmUp.REHEARSAL && rehearsed.add(scenario.id())) {
                rehearse(scenario, open, lock, limit);
            }
            Sample sample = scenario.procedure().measure(open, lock, deadline(limit));
            for (CandidateProcess process : open) {
                process.perform(new Task(Action.CLOSE), deadline(SETUP_LIMIT));
            }
            return Result.of(sample);
        } catch (InterruptedException e) {
            throw e;
        } catch (TimeoutException e) {
            close();
            return Result.missing(Status.TIMED_OUT, "did not finish within " + limit.toSeconds() + " s");
        } catch (Exception e) {
            close();
            return Result.missing(Status.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private List<CandidateProcess> open(Scenario scenario, String lock) throws Exception {
        int warm = processes.size();
        while (processes.size() < scenario.processes()) {
            processes.add(new CandidateProcess(candidate, servers.logs()));
        }
        Endpoints endpoints = candidate.store() == Store.MARIADB
                ? servers.endpointsOnMariaDb(scenario.threads())
                : servers.endpoints(scenario.threads(), scenario.isDistant());
        for (int i = 0; i < scenario.processes(); i++) {
            Task open = new Task(Action.OPEN, "", 0, 0, endpoints);
            processes.get(i).perform(open, deadline(SETUP_LIMIT));
            int pairs = i < warm ? LATER_WARM_UP_PAIRS : firstWarmUpPairs(scenario, i);
            int threads = endpoints.connections();
            long pairsEach = Math.max(MIN_WARM_UP_PAIRS, pairs / threads);
            Task warmUp = new Task(Action.WARM_UP, lock + "-warm-up-" + i, threads, pairsEach);
            processes.get(i).perform(warmUp, deadline(SETUP_LIMIT));
        }
        return processes.subList(0, scenario.processes());
    }

    private int firstWarmUpPairs(Scenario scenario, int process) {
        if (scenario.warmUp() == WarmUp.COLD) {
            return Workload.COLD_PAIRS;
        }
        return workload.warmUpPairs() / (process == 0 ? 1 : WARM_UP_DIVISOR);
    }

    private void rehearse(Scenario scenario, List<CandidateProcess> open, String lock, Duration limit)
            throws Exception {
        long end = deadline(workload.rehearsal());
        for (int time = 0; System.nanoTime() < end; time++) {
            scenario.procedure().measure(open, lock + "-rehearsal-" + time, deadline(limit));
        }
    }

    private static long deadline(Duration limit) {
        return System.nanoTime() + limit.toNanos();
    }

    @Override
    public void close() {
        processes.forEach(CandidateProcess::close);
        processes.clear();
        rehearsed.clear();
    }
}
