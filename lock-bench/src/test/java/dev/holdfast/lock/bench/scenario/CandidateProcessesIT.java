package dev.holdfast.lock.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidates;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.server.Workspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The processes of a candidate after a turn that does not finish. */
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workspace")
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a hang
@Tag("long")
class CandidateProcessesIT {

    private static final Candidate CANDIDATE = Candidates.all().get(0);
    private static final Workload WORKLOAD =
            new Workload(1, 10, Duration.ofMillis(1), 10, List.of(1), Duration.ofMillis(1), 1, Duration.ofMinutes(1));
    private static final Duration LONG = WORKLOAD.limit();

    private Workspace workspace;
    private CandidateProcesses processes;

    @BeforeEach
    void start() throws Exception {
        workspace = Workspace.open();
        processes = new CandidateProcesses(CANDIDATE, BenchServers.start(workspace, false), WORKLOAD);
    }

    @AfterEach
    void close() {
        processes.close();
        workspace.close();
    }

    @Test
    void measure_whenTurnTimesOut_killsTheProcessesAndStartsNewOnes() throws Exception {
        assertThat(processes.measure(Scenarios.uncontended(10), "one", LONG).status())
                .isEqualTo(Status.MEASURED);
        List<ProcessHandle> before = candidateJvms();
        assertThat(before).hasSize(1);

        Result<Sample> result = processes.measure(Scenarios.uncontended(1_000_000), "two", Duration.ofSeconds(1));

        assertThat(result).isEqualTo(Result.missing(Status.TIMED_OUT, "did not finish within 1 s"));
        assertThat(before).noneMatch(ProcessHandle::isAlive);
        Scenario crowd = Scenarios.oneLock("crowd", "crowd", 1, 100);
        assertThat(processes.measure(crowd, "three", LONG).status()).isEqualTo(Status.MEASURED);
        assertThat(candidateJvms()).hasSize(1).doesNotContainAnyElementsOf(before);
    }

    @Test
    void measure_whenTheTurnIsCold_hasProcessesOfItsOwn() throws Exception {
        assertThat(processes.measure(Scenarios.uncontended(10), "one", LONG).status())
                .isEqualTo(Status.MEASURED);
        List<ProcessHandle> warm = candidateJvms();
        List<ProcessHandle> measured = new ArrayList<>();
        Scenario cold = new Scenario(
                "cold", "cold", List.of(), true, 2, 1, Scenario.WarmUp.COLD, (inProcesses, lock, deadline) -> {
                    measured.addAll(candidateJvms());
                    return new Sample(Map.of(), List.of());
                });
        assertThat(processes.measure(cold, "two", LONG).status()).isEqualTo(Status.MEASURED);

        assertThat(measured).hasSize(1 + 2).containsAll(warm);
        assertThat(candidateJvms()).isEqualTo(warm);
    }

    /** By their directory for temporary files: what comes after the class path is cut off. */
    private static List<ProcessHandle> candidateJvms() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains("/candidates -cp"))
                .toList();
    }
}
