package dev.holdfast.lock;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.SettingNames;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Properties;

/**
 * The locks of one namespace in one store. Open once, share between all threads, close at the end.
 *
 * <p>A system property of the same key overrides a value of the configuration, and an environment variable named after the
 * key ({@code LOCK_JDBC_URL} for {@code lock.jdbc.url}) overrides both. {@code ${NAME}} in a value reads the environment
 * variable NAME. An unknown key is an error, also as an environment variable that begins with {@code LOCK_}.
 *
 * <p>Thread-safe.
 */
public interface Locks extends AutoCloseable {

    /**
     * Opens the locks that {@code lock.properties} describes: the file in the working directory, else the class path
     * resource, else system properties and environment alone.
     *
     * @throws LockConfigurationException if there is no configuration (a silent local default would exclude no other process), or a
     *     setting is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks open() {
        return DefaultLocks.open(LockConfiguration.load());
    }

    /**
     * Opens the locks that this file describes.
     *
     * @throws LockConfigurationException if it cannot be read, or a setting is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks open(Path file) {
        return DefaultLocks.open(LockConfiguration.load(file));
    }

    /**
     * Opens the locks that these properties describe. The properties are read now; later changes have no effect.
     *
     * @throws LockConfigurationException if a setting is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks open(Properties properties) {
        return DefaultLocks.open(LockConfiguration.of(properties));
    }

    /**
     * Opens locks on a store that the caller made. The keys that choose and open a store are not read: {@code lock.provider},
     * {@code lock.namespace} and those of the providers. The store remains the caller's to close.
     *
     * @throws LockConfigurationException if a setting is not allowed
     */
    static Locks open(LockStore store, Properties properties) {
        return DefaultLocks.open(LockConfiguration.of(store, properties));
    }

    /**
     * Opens the locks that these properties describe, and nothing else: no system property and no environment variable
     * overrides them, and {@code ${NAME}} in a value stays as it is. For a framework that has resolved its configuration by its
     * own rules.
     *
     * @throws LockConfigurationException if a setting is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks openResolved(Properties properties) {
        return DefaultLocks.open(LockConfiguration.resolved(properties));
    }

    /**
     * As {@link #openResolved(Properties)}; messages about a setting use the framework's name for it, and say where the framework
     * found the value.
     *
     * @throws LockConfigurationException if a setting is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks openResolved(Properties properties, SettingNames names) {
        return DefaultLocks.open(LockConfiguration.resolved(properties, names));
    }

    /**
     * Opens locks on a store that the caller made, as {@link #open(LockStore, Properties)} does, with these properties and
     * nothing else. {@code lock.provider}, if it is among them, is the name that {@link #provider} reports.
     *
     * @throws LockConfigurationException if a setting is not allowed
     */
    static Locks openResolved(LockStore store, Properties properties) {
        return DefaultLocks.open(LockConfiguration.resolved(store, properties));
    }

    /**
     * As {@link #openResolved(LockStore, Properties)}; messages about a setting use the framework's name for it, and say where the
     * framework found the value.
     *
     * @throws LockConfigurationException if a setting is not allowed
     */
    static Locks openResolved(LockStore store, Properties properties, SettingNames names) {
        return DefaultLocks.open(LockConfiguration.resolved(store, properties, names));
    }

    /**
     * The lock of this name. Uses no resources except while it is held or waited for.
     *
     * @param name 1 to 255 code points, without U+0000 and lone surrogates; compared exactly, never normalized
     * @throws IllegalArgumentException if the name is not allowed, with the reason
     */
    DistributedLock named(String name);

    /**
     * The semaphore of this name. Uses no resources except while permits are held or waited for.
     *
     * @param name as for {@link #named}
     * @param permits the maximum number held at a time, 1 or more
     * @throws IllegalArgumentException if the name or the number is not allowed, with the reason
     * @throws UnsupportedOperationException if the store keeps exclusive locks only
     */
    DistributedSemaphore semaphore(String name, int permits);

    /**
     * Campaigns in the background for the leadership of this name, which is the lock of this name with its usual lease. Of all
     * candidates in all processes, at most one holds the lock at a time. No thread is used while the candidate waits.
     *
     * <p>The campaign goes on while the store does not answer; one warning is logged for each outage.
     *
     * @param name as for {@link #named}
     * @param candidate called when it becomes the leader; {@link LeaderCandidate} says on which thread
     * @return the election; closing it ends the campaign, and so does {@link #close}
     * @throws IllegalArgumentException if the name is not allowed, with the reason
     * @throws IllegalStateException if these locks are closed
     */
    LeaderElection elect(String name, LeaderCandidate candidate);

    /** Sends the events of all leases of these locks to this listener from now on. */
    void addListener(LockListener listener);

    /**
     * The administration of the store of these locks, on the same connections. Closing it does not close the store; it cannot
     * be used once these locks are closed.
     */
    LockAdmin admin();

    /**
     * The shortest lease that these locks may have, by {@link DistributedLock#withLease}, {@link DistributedLock#withFixedLease}
     * and {@link Lease#extend}: 100 ms, {@code lock.call-timeout} if that is set, or what the store needs to keep a lease through a
     * failover, whichever is the longest.
     */
    Duration shortestLease();

    /** The name of the chosen provider; {@code custom} for a store of the caller. */
    String provider();

    /**
     * Ends elections, and waits up to two seconds for their candidates. Ends waiters with {@link IllegalStateException} and
     * releases the held leases, for up to two seconds and one more for each 10,000 of them; leases not released by then are left
     * to expire. Then closes the store, unless it is the caller's. A second call does nothing.
     */
    @Override
    void close();

    /**
     * As {@link #acquireAll(Collection, Duration)}; waits for {@code lock.acquire-timeout} at most, or for ever if that is not
     * set.
     *
     * @param names at least one, each once
     * @throws InterruptedException if interrupted before or while waiting; this call then holds none of the locks, now or later
     */
    LeaseGroup acquireAll(Collection<String> names) throws InterruptedException;

    /**
     * Acquires all of these locks, each as {@link #named} returns it, or none. They are acquired in the order of the code
     * units of their names, which is the same in every process: two callers that hold nothing else never deadlock. If the
     * call fails, the locks acquired by then are released before this method throws; if the store takes longer than one
     * second and one call for that, the rest is released in the background.
     *
     * <p>Not reentrant: holding one of the locks already deadlocks on itself.
     *
     * @param names at least one, each once
     * @param wait the time to wait for all of them together: zero (one attempt each) or longer
     * @throws IllegalArgumentException if there are no names, a name is given twice or is not allowed, or {@code wait} is
     *     negative; the store is not called then
     * @throws LockTimeoutException if a lock was busy to the end of the wait; the message names it
     * @throws LockUnavailableException if the store did not answer; the message names the lock
     * @throws LockLostException if a lease was lost before the last was acquired; the message names it
     * @throws InterruptedException if interrupted before or while waiting; this call then holds none of the locks, now or later
     * @throws IllegalStateException if these locks are closed
     */
    LeaseGroup acquireAll(Collection<String> names, Duration wait) throws InterruptedException;
}
