package dev.holdfast.lock.locks;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import java.time.InstantSource;
import java.util.Properties;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;

/** Base of tests of one JDK lock: two threads that use it, and another process. */
abstract class OneJdkLock {

    static final String JOB = "job";

    final WatchedStore store = new WatchedStore(InstantSource.system());
    final Locks locks = Locks.open(store, properties());
    final DistributedLock job = locks.named(JOB);
    final Lock lock = job.asLock();
    /** Another process, simulated in this one. */
    final Locks elsewhere = Locks.open(store, new Properties());

    final Person ann = new Person("ann");
    final Person bob = new Person("bob");

    private static Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("lock.acquire-timeout", "0s");
        return properties;
    }

    @AfterEach
    void close() {
        ann.close();
        bob.close();
        locks.close();
        elsewhere.close();
    }
}
