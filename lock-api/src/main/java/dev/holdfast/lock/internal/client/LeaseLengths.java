package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;

/** The lengths that a lease may have, by the settings and by the store. Every length that an application gives is checked here. */
final class LeaseLengths {

    private final Settings settings;
    private final String provider;
    private final Duration shortestOfStore;

    /**
     * The lengths that this store allows.
     *
     * @param provider the name of the store, for messages
     * @throws dev.holdfast.lock.LockConfigurationException if the length of the settings is too short for the store
     */
    LeaseLengths(Settings settings, LockStore store, String provider) {
        this.settings = settings;
        this.provider = provider;
        this.shortestOfStore = store.shortestLease();
        if (settings.lease().compareTo(shortestOfStore) < 0) {
            throw settings.invalid(
                    EngineKeys.LEASE,
                    DurationText.format(shortestOfStore) + " or longer, as the store '" + provider
                            + "' may lose a shorter lease in a failover");
        }
    }

    Duration shortest() {
        return Durations.max(settings.shortestLease(), shortestOfStore);
    }

    /** @throws IllegalArgumentException if a lease may not have this length, with the reason */
    Duration allowed(Duration length) {
        settings.objectionTo(length).ifPresent(objection -> {
            throw new IllegalArgumentException(objection);
        });
        if (length.compareTo(shortestOfStore) < 0) {
            throw new IllegalArgumentException("a lease of " + DurationText.format(length)
                    + " is too short for the store '" + provider + "', which may lose it in a failover; use "
                    + DurationText.format(shortestOfStore) + " or longer");
        }
        return length;
    }
}
