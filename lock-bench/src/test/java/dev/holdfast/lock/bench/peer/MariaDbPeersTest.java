package dev.holdfast.lock.bench.peer;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.bench.server.Workspace;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link PeersTest}, of the candidates on MariaDB; in a long run only, as its server is large. */
@Tag("long")
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workspace")
@Timeout(value = 3, unit = TimeUnit.MINUTES) // a hang
class MariaDbPeersTest {

    private static final int ROUNDS = 3;

    private static Workspace workspace;
    private static Endpoints endpoints;

    @BeforeAll
    static void startServers() throws Exception {
        workspace = Workspace.open();
        endpoints = BenchServers.start(workspace, true).endpointsOnMariaDb(4);
    }

    @AfterAll
    static void endServers() {
        workspace.close();
    }

    static Stream<Candidate> waiting() {
        return Candidates.all().stream().filter(candidate -> candidate.store() == Store.MARIADB && candidate.waits());
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void acquire_whenProcessesContend_excludesThem(Candidate candidate) throws Exception {
        try (Peer one = candidate.open(endpoints);
                Peer other = candidate.open(endpoints)) {
            new TurnTaking("processes", ROUNDS)
                    .by(List.of(one, other, one, other))
                    .verify(4 * ROUNDS);
        }
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void acquire_whenNamesDiffer_grantsBoth(Candidate candidate) throws Exception {
        try (Peer peer = candidate.open(endpoints)) {
            AutoCloseable one = peer.acquire("this");
            AutoCloseable other = peer.acquire("that");

            other.close();
            one.close();
        }
    }

    @ParameterizedTest
    @MethodSource("notWaiting")
    void acquire_whenCandidateDoesNotWait_isRefusedUntilTheRelease(Candidate candidate) throws Exception {
        try (Peer one = candidate.open(endpoints);
                Peer other = candidate.open(endpoints)) {
            AutoCloseable held = one.acquire("busy");
            assertThatThrownBy(() -> other.acquire("busy")).hasMessageContaining("busy");

            held.close();

            other.acquire("busy").close();
        }
    }

    static Stream<Candidate> notWaiting() {
        return Candidates.all().stream().filter(candidate -> candidate.store() == Store.MARIADB && !candidate.waits());
    }
}
