package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Providers;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.regime.AuthorityProvider;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.PrimaryProvider;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code lock.provider=composite}: locks in Redis under the authority of a database, which grants itself while Redis cannot be
 * trusted. It needs the database alive at all times; a failover of Redis yields neither two holders nor a lost lock.
 *
 * <ul>
 *   <li>{@code lock.composite.primary}: which store is fast ({@code redis}); it reads its own keys.
 *   <li>{@code lock.composite.fallback}: which store is the authority ({@code jdbc}, on PostgreSQL); it reads its own keys.
 *   <li>{@code lock.composite.regime-lease}: for how long a process acts upon what the authority said last ({@code 10s}); the same
 *       for all who share the locks. A failover keeps new acquirers waiting for a little longer than this; a database that is away
 *       for longer ends every lease.
 * </ul>
 */
public final class CompositeLockProvider implements LockProvider {

    private static final Logger log = LoggerFactory.getLogger(CompositeLockProvider.class);

    private static final String PRIMARY = "lock.composite.primary";
    private static final String FALLBACK = "lock.composite.fallback";
    private static final String REGIME_LEASE = "lock.composite.regime-lease";
    private static final String LEASE = "lock.lease";

    private static final String DEFAULT_PRIMARY = "redis";
    private static final String DEFAULT_FALLBACK = "jdbc";
    private static final Duration DEFAULT_REGIME_LEASE = Duration.ofSeconds(10);

    /** Below that the network and the garbage collector decide who grants. */
    private static final Duration SHORTEST_REGIME_LEASE = Duration.ofMillis(500);

    private static final Duration OPENING = Duration.ofSeconds(10);

    /** For {@link java.util.ServiceLoader}. */
    public CompositeLockProvider() {}

    @Override
    public String name() {
        return "composite";
    }

    @Override
    public Set<Key> keys() {
        return Set.of(
                Key.optional(PRIMARY, DEFAULT_PRIMARY),
                Key.optional(FALLBACK, DEFAULT_FALLBACK),
                Key.optional(REGIME_LEASE, DurationText.format(DEFAULT_REGIME_LEASE)));
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, timing(config), Clock.SYSTEM, true);
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        return open(namespace, config, timing(config), Clock.SYSTEM, false);
    }

    /** @param make whether to make what is missing, and to take part at once */
    static CompositeLockStore open(Namespace namespace, Config config, Timing timing, Clock clock, boolean make) {
        PrimaryProvider primary = part(PrimaryProvider.class, PRIMARY, DEFAULT_PRIMARY, config);
        AuthorityProvider fallback = part(AuthorityProvider.class, FALLBACK, DEFAULT_FALLBACK, config);
        Supplier<PrimaryStore> opening = primary.primary(namespace, config);
        AuthorityStore authority = fallback.openAuthority(namespace, config, make);
        CompositeLockStore store =
                new CompositeLockStore(namespace, primary.name(), opening, fallback.name(), authority, timing, clock);
        boolean opened = false;
        try {
            Optional<Regime> known = authority.look(OPENING).map(Reading::regime);
            Regime regime = known.isPresent() ? known.get() : found(store, authority, timing, make);
            requireSame(timing, regime, config);
            if (make) {
                known.ifPresent(others -> tryToReach(store));
                store.start(regime.epoch() == 1, OPENING);
            }
            opened = true;
            return store;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    /** Others have come first: the primary may be down, or be none as it is until somebody has mended that. */
    private static void tryToReach(CompositeLockStore store) {
        try {
            store.reach(OPENING)
                    .objection()
                    .ifPresent(why -> log.warn("the primary cannot be used for now: it {}", why));
        } catch (LockUnavailableException e) {
            log.warn("the primary cannot be reached for now: {}", e.getMessage());
        } catch (LockConfigurationException e) {
            log.debug("the primary cannot be opened for now, as has been said", e);
        }
    }

    /** The first of all processes needs both: no token may be less than those that the primary remembers. */
    private static Regime found(CompositeLockStore store, AuthorityStore authority, Timing timing, boolean make) {
        if (!make) {
            throw new LockConfigurationException(
                    "there is no composite in this namespace yet: the first use of a lock makes it");
        }
        try {
            Health health = store.reach(OPENING);
            return authority.found(timing.lease(), Math.max(health.clock(), health.highestToken()), OPENING);
        } catch (LockUnavailableException e) {
            throw new LockUnavailableException(
                    "the first process to open a composite has to reach both of its stores: " + e.getMessage(), e);
        }
    }

    private static <T> T part(Class<T> kind, String key, String otherwise, Config config) {
        LockProvider found = Providers.find().named(key, config.text(key).orElse(otherwise));
        if (!kind.isInstance(found)) {
            throw config.invalid(key, otherwise + ", which knows the part that it plays");
        }
        return kind.cast(found);
    }

    private static Timing timing(Config config) {
        Timing timing =
                new Timing(config.duration(REGIME_LEASE, SHORTEST_REGIME_LEASE).orElse(DEFAULT_REGIME_LEASE));
        Duration shortest = timing.shortestLease(config.callTimeout());
        if (config.lease().compareTo(shortest) < 0) {
            throw config.invalid(
                    LEASE,
                    DurationText.format(shortest) + " or longer, to survive a failover with " + REGIME_LEASE + "="
                            + DurationText.format(timing.lease()) + " and calls that may take "
                            + DurationText.format(config.callTimeout()));
        }
        return timing;
    }

    private static void requireSame(Timing timing, Regime regime, Config config) {
        if (!regime.lease().equals(timing.lease())) {
            throw config.invalid(
                    REGIME_LEASE,
                    DurationText.format(regime.lease()) + ", which those who share these locks began with");
        }
    }
}
