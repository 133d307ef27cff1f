package dev.holdfast.lock.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.bench.server.Workspace;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Stalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each candidate excludes other holders: the figures of one that does not would mean nothing. */
@Tag("long")
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workspace")
@Timeout(value = 3, unit = TimeUnit.MINUTES) // a hang
class PeersTest {

    private static final int THREADS = 4;

    private static final int ROUNDS = 3 * Integer.getInteger("lock.test.scale", 1);

    private static Workspace workspace;
    private static Endpoints endpoints;

    @BeforeAll
    static void startServers() throws Exception {
        workspace = Workspace.open();
        endpoints = BenchServers.start(workspace, false).endpoints(THREADS, false);
    }

    @AfterAll
    static void endServers() {
        workspace.close();
    }

    /** Opens it, anew if that failed while the machine stood still: a server then answers too late. */
    private static Peer open(Candidate candidate) throws Exception {
        while (true) {
            try (Stalls stalls = new Stalls()) {
                try {
                    return candidate.open(endpoints);
                } catch (Exception e) {
                    if (stalls.longest().compareTo(Duration.ofSeconds(1)) < 0) {
                        throw e;
                    }
                }
            }
        }
    }

    /** Those on MariaDB have a class of their own. */
    private static Stream<Candidate> measured() {
        return Candidates.all().stream().filter(candidate -> candidate.store() != Store.MARIADB);
    }

    static Stream<Candidate> waiting() {
        return measured().filter(Candidate::waits);
    }

    static Stream<Candidate> notWaiting() {
        return measured().filter(candidate -> !candidate.waits());
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void acquire_whenThreadsOfOneProcessContend_excludesThem(Candidate candidate) throws Exception {
        try (Peer peer = open(candidate)) {
            new TurnTaking("threads", ROUNDS)
                    .by(List.of(peer, peer, peer, peer))
                    .verify(4 * ROUNDS);
        }
    }

    static Stream<Candidate> acrossProcesses() {
        return waiting().filter(candidate -> candidate.store() != Store.PROCESS);
    }

    @ParameterizedTest
    @MethodSource("acrossProcesses")
    void acquire_whenProcessesContend_excludesThem(Candidate candidate) throws Exception {
        try (Peer one = open(candidate);
                Peer other = open(candidate)) {
            new TurnTaking("processes", ROUNDS)
                    .by(List.of(one, other, one, other))
                    .verify(4 * ROUNDS);
        }
    }

    static Stream<Candidate> withShares() {
        return measured().filter(candidate -> candidate.locks() != Candidate.Locks.EXCLUSIVE);
    }

    @ParameterizedTest
    @MethodSource("withShares")
    void acquire_whenSharesContend_excludesThoseThatDoNotFitTogether(Candidate candidate) throws Exception {
        List<Share> readersAndWriter = List.of(Share.shared(), Share.shared(), Share.EXCLUSIVE);
        List<Share> permits = List.of(new Share(1, 3), new Share(2, 3), new Share(3, 3));
        try (Peer one = open(candidate);
                Peer other = open(candidate)) {
            for (List<Share> shares : List.of(readersAndWriter, permits)) {
                new TurnTaking("shares of " + shares.get(0).limit(), ROUNDS, shares)
                        .by(List.of(one, other, one, other))
                        .verify(4 * ROUNDS);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void acquire_whenNamesDiffer_grantsBoth(Candidate candidate) throws Exception {
        try (Peer peer = open(candidate)) {
            AutoCloseable one = peer.acquire("this");
            AutoCloseable other = peer.acquire("that");

            other.close();
            one.close();
        }
    }

    @ParameterizedTest
    @MethodSource("notWaiting")
    void acquire_whenCandidateDoesNotWait_isRefusedUntilTheRelease(Candidate candidate) throws Exception {
        try (Peer one = open(candidate);
                Peer other = open(candidate)) {
            AutoCloseable held = one.acquire("busy");
            assertThatThrownBy(() -> one.acquire("busy")).hasMessageContaining("busy");
            assertThatThrownBy(() -> other.acquire("busy")).hasMessageContaining("busy");

            held.close();

            other.acquire("busy").close();
        }
    }

    @Test
    void history_whenPeerExcludesOnlyItsOwnProcess_hasViolations() throws Exception {
        try (Peer one = processLocal();
                Peer other = processLocal()) {
            new TurnTaking("threads", ROUNDS).by(List.of(one, one, one, one)).verify(4 * ROUNDS);

            assertThat(new TurnTaking("processes", 20)
                            .by(List.of(one, other, one, other))
                            .violations())
                    .isNotEmpty();
        }
    }

    @Test
    void candidates_haveUniqueIds() {
        assertThat(Candidates.all()).extracting(Candidate::id).doesNotHaveDuplicates();
    }

    /** A lock that other processes do not know. */
    private static Peer processLocal() {
        Lock lock = new ReentrantLock();
        return new Peer(
                name -> {
                    lock.lock();
                    return lock::unlock;
                },
                () -> {});
    }
}
