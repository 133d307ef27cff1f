package dev.holdfast.lock.locks;

import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;

/** Base of tests of several locks: two processes, simulated in one, on the clock of the test. */
abstract class LeaseGroups {

    static final List<String> NAMES = List.of("b", "a", "c");
    static final Duration RENEWAL = Duration.ofSeconds(10);
    static final Duration LONG = Duration.ofSeconds(Await.SECONDS);

    final SteppedTime time = new SteppedTime();
    final WatchedStore store = new WatchedStore(time);
    final Locks locks = DefaultLocks.open(LockConfiguration.of(store, lease("30s")), time, time::threads);
    /** Its leases do not end in the time of a test. */
    final Locks elsewhere = DefaultLocks.open(LockConfiguration.of(store, lease("1d")), time, time::threads);

    final Person ann = new Person("ann");

    private static Properties lease(String length) {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", length);
        return properties;
    }

    @AfterEach
    final void close() {
        ann.close();
        time.close(locks, elsewhere);
    }

    static LeaseGroup held(Locks locks) throws InterruptedException {
        return locks.acquireAll(NAMES, Duration.ofSeconds(Await.SECONDS));
    }

    final boolean isFree(String name) {
        return Free.isFree(elsewhere, name);
    }
}
