package dev.holdfast.lock;

import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Properties;

/**
 * The locks of one namespace in one store. Open once, share between all threads, close at the end.
 *
 * <p>Every value of the configuration is overridden by a system property of the same key, and that by an environment
 * variable named after it ({@code LOCK_JDBC_URL} for {@code lock.jdbc.url}); {@code ${NAME}} in a value reads the
 * environment variable NAME.
 *
 * <p>Thread-safe.
 */
public interface Locks extends AutoCloseable {

    /**
     * Opens what {@code lock.properties} describes: the file in the working directory, else the class path resource, else
     * system properties and environment alone.
     *
     * @throws LockConfigurationException if there is no configuration at all (a silent default would exclude nobody), or one
     *     that is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks open() {
        return DefaultLocks.open(LockConfiguration.load());
    }

    /**
     * Opens what this file describes.
     *
     * @throws LockConfigurationException if it cannot be read, or says something that is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks open(Path file) {
        return DefaultLocks.open(LockConfiguration.load(file));
    }

    /**
     * Opens what these properties describe. They are read now; later changes have no effect.
     *
     * @throws LockConfigurationException if they say something that is not allowed
     * @throws LockUnavailableException if the store cannot be reached
     */
    static Locks open(Properties properties) {
        return DefaultLocks.open(LockConfiguration.of(properties));
    }

    /**
     * Opens locks on a store that the caller made. What chooses and opens a store is not consulted: {@code lock.provider},
     * {@code lock.namespace} and the keys of the providers. The store is the caller's: it is not closed here.
     *
     * @throws LockConfigurationException if the properties say something that is not allowed
     */
    static Locks open(LockStore store, Properties properties) {
        return DefaultLocks.open(LockConfiguration.of(store, properties));
    }

    /**
     * The lock of this name. Costs nothing until it is acquired, and nothing after.
     *
     * @param name 1 to 255 code points, without U+0000 and lone surrogates; compared exactly, never normalized
     * @throws IllegalArgumentException if it is anything else, saying what
     */
    DistributedLock named(String name);

    /** Tells this listener of every lease of these locks from now on. */
    void addListener(LockListener listener);

    /** The name of the provider that was chosen; {@code custom} if the caller gave a store of its own. */
    String provider();

    /**
     * Ends waiters with {@link IllegalStateException}, releases what is held, within two seconds, and leaves what could not
     * be released in that time to expire. Then closes the store, unless it is the caller's. Does nothing the second time.
     */
    @Override
    void close();

    /**
     * Acquires all of these locks, each as {@link #named} has it, or none. They are asked for in one order, that of the code
     * units of their names, which is the same in every process: two callers that hold nothing else never wait for each
     * other. Whatever ends it early, what was acquired by then is released before this method throws; a store that takes
     * more than a second for that, and one call, is left to answer in the background.
     *
     * <p>Not reentrant: whoever holds one of the locks waits for itself.
     *
     * @param names at least one, each once
     * @param wait for how long to wait for all of them together: zero (ask each once) or longer
     * @throws IllegalArgumentException if there are no names, one is given twice or is no name, or {@code wait} is negative;
     *     nothing is asked then
     * @throws LockTimeoutException if one was busy to the end of the wait, saying which
     * @throws LockUnavailableException if the store did not answer, saying for which
     * @throws LockLostException if one was lost before the last was acquired, saying which
     * @throws InterruptedException if interrupted before or while waiting, saying for which; none is then held, nor later
     * @throws IllegalStateException if these locks are closed
     */
    LeaseGroup acquireAll(Collection<String> names, Duration wait) throws InterruptedException;
}
