package dev.holdfast.lock.composite;

import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityProvider;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryProvider;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import java.util.Set;
import java.util.function.Supplier;

/** {@code without-shares}: Redis as a primary, or PostgreSQL as an authority, that says nothing of shares. */
public final class WithoutSharesProvider implements PrimaryProvider, AuthorityProvider {

    private final RedisLockProvider redis = new RedisLockProvider();
    private final JdbcLockProvider jdbc = new JdbcLockProvider();

    @Override
    public String name() {
        return "without-shares";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return redis.keys();
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return redis.open(namespace, config);
    }

    @Override
    public Supplier<PrimaryStore> primary(Namespace namespace, Config config) {
        return redis.primary(namespace, config);
    }

    @Override
    public AuthorityStore openAuthority(Namespace namespace, Config config, boolean create) {
        return jdbc.openAuthority(namespace, config, create);
    }
}
