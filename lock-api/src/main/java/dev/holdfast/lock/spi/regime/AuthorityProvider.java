package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.Namespace;

/** A provider whose store can be the authority, and the fallback, of a composite. */
public interface AuthorityProvider extends LockProvider {

    /**
     * As {@link #open}, for a composite.
     *
     * @param make whether to make what is missing, as {@link #open} does; otherwise as {@link #openExisting}
     * @throws LockConfigurationException if a setting is missing or wrong, or the database can be no authority
     * @throws LockUnavailableException if it cannot be reached
     */
    AuthorityStore openAuthority(Namespace namespace, Config config, boolean make);
}
