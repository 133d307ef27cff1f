package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import java.util.Set;

/**
 * Opens a kind of store by name. Found by {@link java.util.ServiceLoader}: named in
 * {@code META-INF/services/dev.holdfast.lock.spi.LockProvider} and, in a module, in {@code provides … with}; public, with
 * a public constructor without parameters that does nothing.
 */
public interface LockProvider {

    /** The value of {@code lock.provider} that chooses it: {@code [a-z][a-z0-9-]*}, unique among the providers found. */
    String name();

    /** The configuration keys that it reads, without duplicates; any other key is an error. */
    default Set<ConfigKey<?>> keys() {
        return Set.of();
    }

    /**
     * Opens the store and verifies that it works. A server that is silent for {@link Config#callTimeout()} cannot be reached.
     *
     * @param namespace the namespace of the locks; equal names in different namespaces are different locks
     * @param config the settings; their errors name key, value and origin
     * @throws LockConfigurationException if a setting is missing or wrong
     * @throws LockUnavailableException if the store cannot be reached
     */
    LockStore open(Namespace namespace, Config config);

    /**
     * Opens the store for reading tools, and creates nothing: where {@link #open} would create tables or a file, it reports
     * that there are none. Calls {@link #open} unless overridden, which is right where nothing has to be created.
     *
     * @param namespace the namespace of the locks
     * @param config the settings; their errors name key, value and origin
     * @throws LockConfigurationException if a setting is missing or wrong, or the store was never created
     * @throws LockUnavailableException if the store cannot be reached
     */
    default LockStore openExisting(Namespace namespace, Config config) {
        return open(namespace, config);
    }
}
