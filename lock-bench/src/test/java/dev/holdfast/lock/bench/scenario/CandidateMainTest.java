package dev.holdfast.lock.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.peer.Peer;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Reply;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task;
import dev.holdfast.lock.bench.scenario.CandidateProcess.Task.Action;
import dev.holdfast.lock.bench.server.Endpoints;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is measured is what the peer did. */
class CandidateMainTest {

    private static final Endpoints NO_SERVERS = new Endpoints(0, "", "", 1);

    private final AtomicLong acquired = new AtomicLong();
    private final AtomicLong released = new AtomicLong();

    @Test
    void loops_whenEachAcquireSucceeds_countThePairsThatWereReleased() throws Exception {
        Reply reply = main(Long.MAX_VALUE).perform(new Task(Action.LOOPS, "lock", 2, 20));

        assertThat(reply.pairs()).isPositive().isEqualTo(released.get());
        assertThat(reply.end() - reply.start()).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void pairs_whenEachAcquireSucceeds_haveOneLatencyEachThatAddUpToTheTotal() throws Exception {
        Reply reply = main(Long.MAX_VALUE).perform(new Task(Action.PAIRS, "lock", 1, 100));

        assertThat(released).hasValue(100);
        assertThat(reply.nanos()).hasSize(100);
        assertThat(reply.nanos().stream().mapToLong(Long::longValue).sum()).isEqualTo(reply.end() - reply.start());
    }

    @Test
    void measurement_whenAnAcquireIsRefused_fails() throws Exception {
        for (Action action : new Action[] {Action.WARM_UP, Action.PAIRS, Action.LOOPS, Action.ARRIVE}) {
            CandidateMain main = main(acquired.get() + 3);

            assertThatThrownBy(() -> main.perform(new Task(action, "lock", 4, 20)))
                    .as(action.name())
                    .hasMessageContaining("busy: lock");
        }
    }

    /** A candidate whose lock is refused after so many acquisitions. */
    private CandidateMain main(long limit) throws Exception {
        Peer peer = new Peer(
                name -> {
                    if (acquired.incrementAndGet() > limit) {
                        throw new IllegalStateException("busy: " + name);
                    }
                    return released::incrementAndGet;
                },
                () -> {});
        CandidateMain main =
                new CandidateMain(new Candidate("stub", "stub", Store.REDIS, false, "", endpoints -> peer));
        assertThat(main.perform(new Task(Action.OPEN, "", 0, 0, NO_SERVERS)).failure())
                .isNull();
        return main;
    }
}
