package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;

/** Base of tests of elections: two processes, simulated in one, on the clock of the test. */
abstract class Elections {

    static final String BOSS = "boss";
    static final Duration LEASE = Duration.ofSeconds(30);

    final SteppedTime time = new SteppedTime();
    final WatchedStore store = new WatchedStore(time);
    final Locks locks = open();
    final Locks elsewhere = open();

    private Locks open() {
        return DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    }

    @AfterEach
    final void close() {
        store.heal(BOSS);
        time.close(locks, elsewhere);
    }

    /** Waits until the candidate has been told exactly this. */
    static void awaitCalls(Candidate candidate, String... calls) {
        Await.until(
                "the candidate is called, so far " + candidate.calls(),
                () -> candidate.calls().equals(List.of(calls)));
    }

    /** Waits until a request waits at the store. */
    final void awaitWaiting(long acquires) {
        Await.until("the acquires reach the store", () -> store.acquires(BOSS).count() >= acquires);
        time.settle(); // they are carried out
    }

    final void mustBeHeldBy(Candidate candidate) {
        assertThat(candidate.lease().isHeld()).isTrue();
    }
}
