package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.Namespace;
import java.util.function.Supplier;

/** A provider whose store can be the primary of a composite. */
public interface PrimaryProvider extends LockProvider {

    /**
     * How the store is opened for a composite, which no server is asked for that yet.
     *
     * @return opens it, each time anew. Throws a {@link LockUnavailableException} if it cannot be reached, and a
     *     {@link LockConfigurationException} if the server can be no primary as it is, or refuses the client; trying again later may
     *     succeed after either
     * @throws LockConfigurationException if a setting is missing or wrong: it can never be opened
     */
    Supplier<PrimaryStore> primary(Namespace namespace, Config config);
}
