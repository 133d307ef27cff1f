package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.util.Set;

/**
 * {@code stepped}: the composite, by a clock that a {@link CompositeGroup} sets ahead; also with leases that are too short to survive a
 * failover, as the kit has some.
 */
public final class SteppedProvider implements LockProvider {

    private static final ConfigKey<Duration> AUTHORITY_LEASE = ConfigKey.duration(
                    "lock.composite.authority-lease", Duration.ZERO, "shorter than the product allows")
            .required();

    @Override
    public String name() {
        return "stepped";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
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
        CompositeGroup group = CompositeGroup.of(namespace.value());
        return new SteppedStore(composite(namespace, config, make), group);
    }

    static CompositeLockStore composite(Namespace namespace, Config config, boolean make) {
        return CompositeLockProvider.open(
                namespace,
                config,
                timing(config),
                CompositeGroup.of(namespace.value()).clock(),
                make);
    }

    static Timing timing(Config config) {
        return new Timing(config.get(AUTHORITY_LEASE));
    }
}
