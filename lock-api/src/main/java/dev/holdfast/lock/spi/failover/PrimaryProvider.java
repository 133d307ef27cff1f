package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.Namespace;
import java.util.Set;
import java.util.function.Supplier;

/** A provider whose store can be the primary of a composite. */
public interface PrimaryProvider extends LockProvider {

    /**
     * Prepares to open the store for a composite, without connecting.
     *
     * @return opens a new store on each call. Throws {@link LockUnavailableException} if the server cannot be reached, and
     *     {@link LockConfigurationException} if the server cannot be a primary in its present state or refuses the client; a
     *     later call may succeed after either
     * @throws LockConfigurationException if a setting is missing or wrong: the store can never be opened
     */
    Supplier<PrimaryStore> primary(Namespace namespace, Config config);

    /** The optional abilities of each primary that it opens, known before one is. Those of every primary, unless overridden. */
    default Set<Capability> primaryCapabilities() {
        return Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.LIST);
    }
}
