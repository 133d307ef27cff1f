package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.util.Set;

/**
 * {@code stepped}: the composite, by a clock that a {@link Group} sets ahead; also with leases that are too short to survive a
 * failover, as the kit has some.
 */
public final class SteppedProvider implements LockProvider {

    private static final String REGIME_LEASE = "lock.composite.regime-lease";

    @Override
    public String name() {
        return "stepped";
    }

    @Override
    public Set<Key> keys() {
        return new CompositeLockProvider().keys();
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, true);
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        return open(namespace, config, false);
    }

    private static LockStore open(Namespace namespace, Config config, boolean make) {
        Group group = Group.of(namespace.value());
        return new Stepped(composite(namespace, config, make), group);
    }

    static CompositeLockStore composite(Namespace namespace, Config config, boolean make) {
        return CompositeLockProvider.open(
                namespace, config, timing(config), Group.of(namespace.value()).clock(), make);
    }

    static Timing timing(Config config) {
        return new Timing(config.duration(REGIME_LEASE, Duration.ZERO).orElseThrow());
    }
}
