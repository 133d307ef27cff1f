package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.util.Set;

/** {@code impatient}: the composite, also with leases that are too short to survive a failover, as the kit has some. */
public final class ImpatientProvider implements LockProvider {

    private static final String REGIME_LEASE = "lock.composite.regime-lease";

    @Override
    public String name() {
        return "impatient";
    }

    @Override
    public Set<Key> keys() {
        return new CompositeLockProvider().keys();
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        Duration lease = config.duration(REGIME_LEASE, Duration.ZERO).orElseThrow();
        return CompositeLockProvider.open(namespace, config, new Timing(lease), true);
    }
}
