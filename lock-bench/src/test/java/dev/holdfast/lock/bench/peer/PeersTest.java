package dev.holdfast.lock.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.bench.peer.Peer.Held;
import dev.holdfast.lock.bench.server.Postgres;
import dev.holdfast.lock.bench.server.Redis;
import dev.holdfast.lock.bench.server.Workplace;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is measured excludes: a figure of one that does not would mean nothing. */
@ResourceLock("PostgreSQL as unpacked by the first test of this process, and removed with its workplace")
@Timeout(value = 3, unit = TimeUnit.MINUTES) // a hang
class PeersTest {

    private static final int THREADS = 4;

    private static final int ROUNDS = 3 * Integer.getInteger("lock.test.scale", 1);

    private static Workplace workplace;
    private static Place place;

    @BeforeAll
    static void startServers() throws Exception {
        workplace = Workplace.open();
        Redis redis = Redis.inMemory(workplace);
        Postgres postgres = Postgres.start(workplace);
        place = new Place(redis.port(), postgres.url(), postgres.username(), THREADS);
    }

    @AfterAll
    static void endServers() {
        workplace.close();
    }

    static Stream<Candidate> waiting() {
        return Candidates.all().stream().filter(Candidate::waits);
    }

    static Stream<Candidate> notWaiting() {
        return Candidates.all().stream().filter(candidate -> !candidate.waits());
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void threadsOfOneProcessExcludeEachOther(Candidate candidate) throws Exception {
        try (Peer peer = candidate.open(place)) {
            new Taking("threads", ROUNDS).by(List.of(peer, peer, peer, peer)).verify(4 * ROUNDS);
        }
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void processesExcludeEachOther(Candidate candidate) throws Exception {
        try (Peer one = candidate.open(place);
                Peer other = candidate.open(place)) {
            new Taking("processes", ROUNDS).by(List.of(one, other, one, other)).verify(4 * ROUNDS);
        }
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void locksOfDifferentNamesAreHeldAtOnce(Candidate candidate) throws Exception {
        try (Peer peer = candidate.open(place)) {
            Held one = peer.acquire("this");
            Held other = peer.acquire("that");

            other.release();
            one.release();
        }
    }

    @ParameterizedTest
    @MethodSource("notWaiting")
    void whatDoesNotWaitIsRefusedUntilTheLockIsReleased(Candidate candidate) throws Exception {
        try (Peer one = candidate.open(place);
                Peer other = candidate.open(place)) {
            Held held = one.acquire("busy");
            assertThatThrownBy(() -> one.acquire("busy")).hasMessageContaining("busy");
            assertThatThrownBy(() -> other.acquire("busy")).hasMessageContaining("busy");

            held.release();

            other.acquire("busy").release();
        }
    }

    @Test
    void oneThatExcludesOnlyInItsOwnProcessIsSeen() throws Exception {
        try (Peer one = new OfOneProcess();
                Peer other = new OfOneProcess()) {
            new Taking("threads", ROUNDS).by(List.of(one, one, one, one)).verify(4 * ROUNDS);

            assertThat(new Taking("processes", 20)
                            .by(List.of(one, other, one, other))
                            .violations())
                    .isNotEmpty();
        }
    }

    @Test
    void eachHasAnIdOfItsOwn() {
        assertThat(Candidates.all()).extracting(Candidate::id).doesNotHaveDuplicates();
    }

    /** A lock that nobody else knows. */
    private static final class OfOneProcess implements Peer {

        private final Lock lock = new ReentrantLock();

        @Override
        public Held acquire(String name) {
            lock.lock();
            return lock::unlock;
        }

        @Override
        public void close() {}
    }
}
