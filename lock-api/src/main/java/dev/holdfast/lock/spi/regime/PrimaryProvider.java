package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.Namespace;

/** A provider whose store can be the primary of a composite. */
public interface PrimaryProvider extends LockProvider {

    /**
     * As {@link #open}, for a composite.
     *
     * @throws LockConfigurationException if a setting is missing or wrong, or the server can be no primary
     * @throws LockUnavailableException if it cannot be reached; trying again later may succeed
     */
    PrimaryStore openPrimary(Namespace namespace, Config config);
}
