package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Failovers under load, and the tokens of a history with failovers. A holder may learn of a grant by the old master after a grant by
 * the new one, which never received the old grant. Therefore a grant that was learned after a failover began, with a smaller token
 * than the first one that the test itself gets afterwards, is not judged. All others are.
 */
final class Failovers {

    private final History history;
    private final List<Failover> all = new ArrayList<>();

    /**
     * A failover.
     *
     * @param from before it began, as {@link System#nanoTime()}
     * @param token of a grant after it
     */
    private record Failover(long from, long token) {
        boolean mayHaveForgotten(Hold hold) {
            return hold.from() - from >= 0 && hold.token() < token;
        }
    }

    /** Makes another server the master, and returns once it is. */
    @FunctionalInterface
    interface Change {
        void make() throws Exception;
    }

    Failovers(History history) {
        this.history = history;
    }

    /**
     * Makes a failover.
     *
     * @param name a lock of the master that changes, which nothing else uses
     */
    void make(Locks locks, String name, Change change) throws Exception {
        long from = System.nanoTime();
        change.make();
        try (Lease first = locks.named(name).acquire(Duration.ofMinutes(3))) {
            all.add(new Failover(from, first.fencingToken()));
        }
    }

    /** Judges the tokens of the holds that count. */
    void verifyTokens(int least) {
        List<Hold> counting = history.holds().stream()
                .filter(hold -> all.stream().noneMatch(each -> each.mayHaveForgotten(hold)))
                .toList();
        assertThat(History.tokenViolations(counting)).isEmpty();
        assertThat(counting).as("holds to judge by").hasSizeGreaterThanOrEqualTo(least);
    }
}
