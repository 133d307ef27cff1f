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

    /** What {@code lock.provider} says to choose it: {@code [a-z][a-z0-9-]*}, unique among the providers found. */
    String name();

    /** The configuration keys that it reads, each once; any other key is an error. */
    default Set<Key> keys() {
        return Set.of();
    }

    /**
     * Opens the store and makes sure that it works.
     *
     * @param namespace whose locks these are; names of different namespaces are different locks
     * @param config the settings; their errors name key, value and origin
     * @throws LockConfigurationException if a setting is missing or wrong
     * @throws LockUnavailableException if the store cannot be reached
     */
    LockStore open(Namespace namespace, Config config);

    /**
     * Opens the store for somebody who looks into it, and makes nothing: where {@link #open} would make tables or a file, it
     * says that there are none. As {@link #open} unless overridden, which is right where nothing has to be made.
     *
     * @param namespace whose locks these are
     * @param config the settings; their errors name key, value and origin
     * @throws LockConfigurationException if a setting is missing or wrong, or there is nothing yet to look into
     * @throws LockUnavailableException if the store cannot be reached
     */
    default LockStore openExisting(Namespace namespace, Config config) {
        return open(namespace, config);
    }
}
