package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.Namespace;
import java.util.Set;

/** A provider whose store can be the authority, and thereby the fallback, of a composite. */
public interface AuthorityProvider extends LockProvider {

    /**
     * As {@link #open}, for a composite.
     *
     * @param create whether to create missing tables, as {@link #open} does; otherwise as {@link #openExisting}
     * @throws LockConfigurationException if a setting is missing or wrong, or the database cannot be an authority
     * @throws LockUnavailableException if it cannot be reached
     */
    AuthorityStore openAuthority(Namespace namespace, Config config, boolean create);

    /** The optional abilities of each authority that it opens. Those of every authority, unless overridden. */
    default Set<Capability> authorityCapabilities() {
        return Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.LIST);
    }
}
