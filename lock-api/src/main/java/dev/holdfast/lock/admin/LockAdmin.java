package dev.holdfast.lock.admin;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.client.DefaultLockAdmin;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The operator's side of a configuration, for tools and for pages that show who holds what. Reads the configuration as
 * {@link dev.holdfast.lock.Locks} does, and connects to the store when it is first asked about it.
 *
 * <p>Thread-safe.
 */
public interface LockAdmin extends AutoCloseable {

    /**
     * Of what {@code lock.properties} describes, found as {@link dev.holdfast.lock.Locks#open()} finds it.
     *
     * @throws LockConfigurationException if there is no configuration, or one that is not allowed
     */
    static LockAdmin of() {
        return new DefaultLockAdmin(LockConfiguration.load());
    }

    /**
     * Of what this file describes.
     *
     * @throws LockConfigurationException if it cannot be read, or says something that is not allowed
     */
    static LockAdmin of(Path file) {
        return new DefaultLockAdmin(LockConfiguration.load(file));
    }

    /**
     * Of what these properties describe. They are read now; later changes have no effect.
     *
     * @throws LockConfigurationException if they say something that is not allowed
     */
    static LockAdmin of(Properties properties) {
        return new DefaultLockAdmin(LockConfiguration.of(properties));
    }

    /**
     * Of a store that the caller made, as for {@link dev.holdfast.lock.Locks#open(LockStore, Properties)}. The store is the
     * caller's: it is not closed here.
     *
     * @throws LockConfigurationException if the properties say something that is not allowed
     */
    static LockAdmin of(LockStore store, Properties properties) {
        return new DefaultLockAdmin(LockConfiguration.of(store, properties));
    }

    /** The name of the provider that was chosen; {@code custom} if the caller gave a store of its own. */
    String provider();

    /**
     * What holds and why, by key: the engine's settings, those of the provider that was chosen, and whatever else was set.
     * Secrets are masked. Asks no store.
     */
    List<EffectiveSetting> settings();

    /**
     * The locks of this namespace that are held, kept by a minimum hold or waited for, in the order of their names by code
     * points. Holds up nobody, however slowly it is read, and makes nothing: where no store was made yet, that is an error.
     * The caller closes the stream.
     *
     * @param prefix what their names start with, compared exactly; empty for all
     * @throws LockConfigurationException if the store refuses a setting, or was never made
     * @throws LockUnavailableException if the store does not answer; the stream throws it, too
     * @throws UnsupportedOperationException if the store cannot be inspected
     * @throws IllegalStateException if this is closed
     */
    Stream<LockInfo> locks(String prefix);

    /**
     * Who grants, if the store is a composite of two stores. Asks its authority, takes no part, and makes nothing.
     *
     * @return empty if the store is none: then it alone grants
     * @throws LockConfigurationException if the store refuses a setting, or was never made
     * @throws LockUnavailableException if the store does not answer
     * @throws IllegalStateException if this is closed
     */
    Optional<RegimeStatus> regime();

    /**
     * Takes a lock from the process that holds it, whichever of its threads has it by now and whatever that is doing. The
     * process is told at its next renewal, after a third of its lease at most, and of a lease that is not renewed only at its
     * end; until then two may believe that they hold the lock, which only the fencing token tells apart. So end the holder
     * first. Asks once, and may be repeated.
     *
     * @param lock as it was shown; if the grant that was shown is over by now, nothing happens, whoever has the lock. A lock
     *     that is kept by its minimum hold alone has no holder to take it from
     * @return whether the grant that was shown lasted until now, and is over
     * @throws LockConfigurationException if the store refuses a setting, or was never made
     * @throws LockUnavailableException if the store did not answer: then the grant may be over or not
     * @throws IllegalStateException if this is closed
     */
    boolean forceRelease(LockInfo lock);

    /**
     * Does at the store what its first use would, with a lock of its own, and looks for what weakens a promise: first in the
     * settings, then in the store's. What is wrong is in the answer, not thrown.
     *
     * @return what was found, with what to do about it; never empty. An error whose subject is {@code configuration} means
     *     that the store refused a setting
     * @throws IllegalStateException if this is closed
     */
    List<Finding> examine();

    /** Closes the store, if it was opened here. Does nothing the second time. */
    @Override
    void close();
}
