package dev.holdfast.lock.admin;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.client.DefaultLockAdmin;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The operator's view of a configuration, for tools and status pages. Reads the configuration as
 * {@link dev.holdfast.lock.Locks} does, and connects to the store on the first call that needs it.
 *
 * <p>Thread-safe.
 */
public interface LockAdmin extends AutoCloseable {

    /**
     * Administers what {@code lock.properties} describes, found as {@link dev.holdfast.lock.Locks#open()} finds it.
     *
     * @throws LockConfigurationException if there is no configuration, or a setting is not allowed
     */
    static LockAdmin of() {
        return new DefaultLockAdmin(LockConfiguration.load());
    }

    /**
     * Administers what this file describes.
     *
     * @throws LockConfigurationException if it cannot be read, or a setting is not allowed
     */
    static LockAdmin of(Path file) {
        return new DefaultLockAdmin(LockConfiguration.load(file));
    }

    /**
     * Administers what these properties describe. The properties are read now; later changes have no effect.
     *
     * @throws LockConfigurationException if a setting is not allowed
     */
    static LockAdmin of(Properties properties) {
        return new DefaultLockAdmin(LockConfiguration.of(properties));
    }

    /**
     * Administers a store that the caller made, as for {@link dev.holdfast.lock.Locks#open(LockStore, Properties)}. The store
     * remains the caller's to close.
     *
     * @throws LockConfigurationException if a setting is not allowed
     */
    static LockAdmin of(LockStore store, Properties properties) {
        return new DefaultLockAdmin(LockConfiguration.of(store, properties));
    }

    /** The name of the chosen provider; {@code custom} for a store of the caller. */
    String provider();

    /**
     * The effective settings by key: those of the engine, those of the chosen provider, and any other that was set. Secrets
     * are masked. Does not call the store.
     */
    List<EffectiveSetting> settings();

    /**
     * The locks of this namespace that are held, kept by a minimum hold or waited for, in the order of their names by code
     * points. Reading blocks no lock operation, however slow the reader is, and creates nothing: a store without tables is an
     * error. The caller closes the stream.
     *
     * @param prefix the beginning of their names, compared exactly; empty for all
     * @throws LockConfigurationException if the store refuses a setting, or was never created
     * @throws LockUnavailableException if the store does not answer; the stream throws it, too
     * @throws UnsupportedOperationException if the store cannot list its locks
     * @throws IllegalStateException if this is closed
     */
    Stream<LockInfo> locks(String prefix);

    /**
     * The failover status of a composite of two stores. Reads the authority without joining the members, and creates nothing.
     *
     * @return empty if the store is not a composite
     * @throws LockConfigurationException if the store refuses a setting, or was never created
     * @throws LockUnavailableException if the store does not answer
     * @throws IllegalStateException if this is closed
     */
    Optional<FailoverStatus> failoverStatus();

    /**
     * Sends the store one command that changes nothing, and returns once the store has answered; for health checks.
     *
     * @throws LockConfigurationException if the store refuses a setting, or was never created
     * @throws LockUnavailableException if the store does not answer; also while no store of a composite grants
     * @throws IllegalStateException if this is closed
     */
    void ping();

    /**
     * Releases a lock on behalf of one process that holds it, whatever that process is doing. The process learns of it at its
     * next renewal, after a third of its lease at most, but in the case of a fixed lease only at the end of the lease. Until
     * then two processes may act as holder, and only the fencing token distinguishes them: end the holder first. Makes one
     * attempt, and may be repeated.
     *
     * @param name the lock
     * @param holder as it was listed. If its grant has ended by now, nothing happens. Other holders of a shared or counted lock
     *     keep their grants
     * @return whether the listed grant was still in force, and this call ended it
     * @throws LockConfigurationException if the store refuses a setting, or was never created
     * @throws LockUnavailableException if the store did not answer: the grant may or may not have ended
     * @throws IllegalStateException if this is closed
     */
    boolean forceRelease(LockName name, LockInfo.Holder holder);

    /**
     * Acquires and releases a test lock at the store, and checks the settings of Holdfast and of the store for
     * everything that weakens a promise. Problems are returned, not thrown.
     *
     * @return the findings, each with advice; never empty. An error with the subject {@code configuration} means that the
     *     store refused a setting
     * @throws IllegalStateException if this is closed
     */
    List<Finding> diagnose();

    /** Closes the store, if it was opened here. A second call does nothing. */
    @Override
    void close();
}
