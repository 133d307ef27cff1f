package dev.holdfast.lock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measure.Outcome.Measured;
import dev.holdfast.lock.bench.measure.Outcome.Unfinished;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidates;
import dev.holdfast.lock.bench.server.Workplace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What becomes of a turn that does not finish. */
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workplace")
@Timeout(value = 5, unit = TimeUnit.MINUTES) // a hang
class TeamIT {

    private static final Candidate CANDIDATE = Candidates.all().get(0);
    private static final Effort EFFORT =
            new Effort(1, 10, Duration.ofMillis(1), 10, List.of(1), Duration.ofMillis(1), 1, Duration.ofMinutes(1));
    private static final Duration LONG = EFFORT.limit();

    private Workplace workplace;
    private Team team;

    @BeforeEach
    void start() throws Exception {
        workplace = Workplace.open();
        team = new Team(CANDIDATE, Servers.start(workplace), EFFORT);
    }

    @AfterEach
    void close() {
        team.close();
        workplace.close();
    }

    @Test
    void isKilledAndOthersTakeTheirPlace() throws Exception {
        assertThat(team.take(new Uncontended(10), "one", LONG)).isInstanceOf(Measured.class);
        List<ProcessHandle> before = runners();
        assertThat(before).hasSize(1);

        Outcome outcome = team.take(new Uncontended(1_000_000), "two", Duration.ofSeconds(1));

        assertThat(outcome).isEqualTo(new Unfinished("did not finish within 1 s"));
        assertThat(before).noneMatch(ProcessHandle::isAlive);
        assertThat(team.take(OneLock.ofOneProcess(), "three", LONG)).isInstanceOf(Measured.class);
        assertThat(runners()).hasSize(1).doesNotContainAnyElementsOf(before);
    }

    /** By their directory for temporary files: what comes after the class path is cut off. */
    private static List<ProcessHandle> runners() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains("/runners -cp"))
                .toList();
    }
}
