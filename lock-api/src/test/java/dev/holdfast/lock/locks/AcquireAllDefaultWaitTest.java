package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** {@link Locks#acquireAll(java.util.Collection)}: waits for as long as the settings say. */
class AcquireAllDefaultWaitTest extends LeaseGroups {

    @Test
    void acquireAll_withoutAcquireTimeout_waitsUntilGranted() throws Exception {
        Lease busy = elsewhere.named("b").acquire();
        Future<LeaseGroup> waiting = ann.beginsToCall(() -> locks.acquireAll(List.of("b", "a")));
        Await.until("the acquire waits for b", () -> store.acquires("b").count() == 1 + 2);
        ann.awaitWaiting();
        assertThat(waiting.isDone()).isFalse();

        busy.close();
        try (LeaseGroup group = Person.result(waiting)) {
            assertThat(group.isHeld()).isTrue();
        }
    }

    @Test
    void acquireAll_withAcquireTimeout_waitsForThatLong() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("lock.acquire-timeout", "0s");
        try (Locks impatient = DefaultLocks.open(LockConfiguration.of(store, properties), time, time::threads);
                Lease busy = elsewhere.named("b").acquire()) {
            assertThatThrownBy(() -> impatient.acquireAll(List.of("b", "a")))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("'b'");
            assertThat(busy.isHeld()).isTrue();
            assertThat(isFree("a")).isTrue();
        }
    }
}
