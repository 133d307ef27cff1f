package dev.holdfast.lock.junit;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Locks for a test of an application, with the events of production on demand: a lock is busy, a lease is lost, the store is
 * unreachable. Each instance has locks of its own, which no other test sees.
 *
 * <p>Leases last six seconds unless a setting says otherwise: short enough to notice a loss within two, and long enough for a build
 * machine that stalls for a moment.
 *
 * <p>Thread-safe.
 */
public final class TestLocks implements AutoCloseable {

    private static final String LEASE = "lock.lease";
    private static final String DEFAULT_LEASE = "6s";

    /** The store without outages, for everything but the application. */
    private final LockStore store;

    private final Duration lease;
    private final UnreliableStore between;
    private final Locks locks;
    private final Locks others;
    private final LockAdmin admin;
    private final Set<Lease> busy = ConcurrentHashMap.newKeySet();
    /** By the store's token of the grant. */
    private final Map<Long, CountDownLatch> losses = new ConcurrentHashMap<>();

    private TestLocks(LockStore store, Properties settings) {
        this.store = store;
        lease = LockConfiguration.of(store, settings).settings().lease();
        between = new UnreliableStore(store);
        locks = Locks.open(between, settings);
        others = Locks.open(store, settings);
        admin = LockAdmin.of(store, settings);
        locks.addListener(new LockListener() {
            @Override
            public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
                lossOf(fencingToken / LockReply.Granted.HOLDERS_PER_GRANT).countDown();
            }
        });
    }

    /** Locks in memory. */
    public static TestLocks inMemory() {
        return new TestLocks(new MemorySpace().open(), withLease(new Properties()));
    }

    /**
     * Locks in the store that these settings describe, such as a server in a container, in a namespace of their own.
     *
     * @param settings as for {@link Locks#open(Properties)}, without {@code lock.namespace}; read now
     * @throws LockConfigurationException if a setting is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    public static TestLocks on(Properties settings) {
        Properties all = withLease(settings);
        if (all.containsKey("lock.namespace")) {
            throw new LockConfigurationException(
                    "lock.namespace is not allowed here: each test has a namespace of its own");
        }
        all.setProperty("lock.namespace", "test-" + UUID.randomUUID());
        return new TestLocks(LockConfiguration.of(all).openStore(), all);
    }

    private static Properties withLease(Properties settings) {
        Properties all = new Properties();
        all.setProperty(LEASE, DEFAULT_LEASE);
        settings.stringPropertyNames().forEach(key -> all.setProperty(key, settings.getProperty(key)));
        return all;
    }

    /** The locks for the application under test. */
    public Locks locks() {
        return locks;
    }

    /**
     * Acquires this lock as another process would, and holds it until the lease is closed or the test ends.
     *
     * @throws IllegalStateException if the lock is busy
     */
    public Lease makeBusy(String name) {
        Lease lease = others.named(name)
                .tryAcquire()
                .orElseThrow(() -> new IllegalStateException("the lock '" + name + "' is already busy"));
        busy.add(lease);
        return lease;
    }

    /**
     * Takes this lock away from the application, as if its lease had ended during a network outage, and returns once the application
     * has noticed the loss, at its next renewal. Of a shared lock, all leases are taken away.
     *
     * @throws IllegalStateException if the application does not hold the lock, or its lease is fixed and thus never renewed
     * @throws InterruptedException if the thread is interrupted
     */
    public void lose(String name) throws InterruptedException {
        List<LockInfo.Holder> holders;
        LockInfo lock;
        try (Stream<LockInfo> all = admin.locks(name)) {
            lock = all.filter(each ->
                            each.name().value().equals(name) && !each.holders().isEmpty())
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("the lock '" + name + "' is not held"));
            holders = lock.holders();
        }
        for (LockInfo.Holder holder : holders) {
            admin.forceRelease(lock.name(), holder);
        }
        for (LockInfo.Holder holder : holders) {
            awaitLoss(name, holder.token());
        }
    }

    private void awaitLoss(String name, long token) throws InterruptedException {
        if (!lossOf(token).await(2 * lease.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("the lock '" + name + "' was lost, but the application did not notice in "
                    + DurationText.format(lease.multipliedBy(2)) + ": its lease is fixed, or other locks hold it");
        }
    }

    private CountDownLatch lossOf(long token) {
        return losses.computeIfAbsent(token, any -> new CountDownLatch(1));
    }

    /**
     * Fails every call of the application to the store from now on, as if the network were down. Leases that it holds become unconfirmed,
     * and are lost when they end.
     *
     * @return ends the outage when closed; the end of the test ends it, too
     */
    public Outage makeUnreachable() {
        between.fail();
        return between::recover;
    }

    /** The store is unreachable until this is closed. */
    @FunctionalInterface
    public interface Outage extends AutoCloseable {
        @Override
        void close();
    }

    /** Ends an outage, releases what {@link #makeBusy} holds, and closes the locks. */
    @Override
    public void close() {
        between.recover();
        busy.forEach(Lease::close);
        locks.close();
        others.close();
        admin.close();
        store.close();
    }
}
