package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Hold;
import java.util.List;
import java.util.OptionalLong;

/**
 * Failovers under load, and the tokens of a history with failovers. From the first failover on, the old and the new master may grant
 * the same lock, each with tokens by its clock.
 */
final class Failovers {

    private final History history;
    /** When the first one began, as {@link System#nanoTime()}. */
    private OptionalLong first = OptionalLong.empty();

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
        if (first.isEmpty()) {
            first = OptionalLong.of(System.nanoTime());
        }
        change.make();
        Await.lease(locks.named(name)).close();
    }

    /** Judges the tokens, and of the holds before the first failover the exclusion as well. */
    void verifyTokens(int least) {
        List<Hold> holds = history.holds();
        List<Hold> before = holds.stream()
                .filter(hold -> hold.until() < first.orElseThrow())
                .toList();
        assertThat(History.violations(before)).as("before the first failover").isEmpty();
        assertThat(History.tokenViolationsOfTwoServers(holds)).isEmpty();
        assertThat(holds).as("holds to judge by").hasSizeGreaterThanOrEqualTo(least);
    }
}
