package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.environment.LockProviders;
import dev.holdfast.lock.spi.failover.AuthorityProvider;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryProvider;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code lock.provider=composite}: locks in Redis under the authority of a database, which grants locks itself while Redis has
 * failed. It needs the database at all times; a failover of Redis yields neither two holders nor a lost lock. The
 * documentation lists its keys on the page Configuration.
 */
public final class CompositeLockProvider implements LockProvider {

    private static final Logger log = LoggerFactory.getLogger(CompositeLockProvider.class);

    private static final ConfigKey<String> PRIMARY =
            ConfigKey.text("lock.composite.primary", "the fast store").withDefault("redis");
    private static final ConfigKey<String> FALLBACK = ConfigKey.text(
                    "lock.composite.fallback", "the authority, which grants while the primary cannot be trusted")
            .withDefault("jdbc");
    /** With a shorter one, delays of the network and of garbage collection cause failovers. */
    private static final ConfigKey<Duration> AUTHORITY_LEASE = ConfigKey.duration(
                    "lock.composite.authority-lease",
                    Duration.ofMillis(500),
                    "how long a process acts on the authority state that it read last")
            .withDefault(Duration.ofSeconds(10));

    /** For each call of opening, unless calls may take longer. */
    private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(10);

    /** For {@link java.util.ServiceLoader}. */
    public CompositeLockProvider() {}

    @Override
    public String name() {
        return "composite";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(PRIMARY, FALLBACK, AUTHORITY_LEASE);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, timing(config), Clock.SYSTEM, true);
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        return open(namespace, config, timing(config), Clock.SYSTEM, false);
    }

    /** @param make whether to create what is missing, and to take part in the protocol at once */
    static CompositeLockStore open(Namespace namespace, Config config, Timing timing, Clock clock, boolean make) {
        PrimaryProvider primary = part(PrimaryProvider.class, PRIMARY, config);
        AuthorityProvider fallback = part(AuthorityProvider.class, FALLBACK, config);
        Supplier<PrimaryStore> opening = primary.primary(namespace, config);
        AuthorityStore authority = fallback.openAuthority(namespace, config, make);
        CompositeLockStore store = new CompositeLockStore(
                namespace,
                capabilities(primary, fallback),
                primary.name(),
                opening,
                fallback.name(),
                authority,
                timing,
                shortestLease(timing, config),
                clock);
        boolean opened = false;
        try {
            Duration timeout = Durations.max(OPEN_TIMEOUT, config.callTimeout());
            Optional<AuthorityState> known = authority.peek(timeout).map(AuthorityReading::state);
            AuthorityState current =
                    known.isPresent() ? known.get() : initialize(store, authority, timing, make, timeout);
            requireSame(timing, current, config);
            if (make) {
                if (known.isPresent()) {
                    tryPrimary(store, timeout);
                }
                store.start(current.epoch() == 1, timeout);
            }
            opened = true;
            return store;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    /** Those of both: whichever grants, a command means the same. */
    private static Set<Capability> capabilities(PrimaryProvider primary, AuthorityProvider fallback) {
        Set<Capability> capabilities = new HashSet<>(primary.primaryCapabilities());
        capabilities.retainAll(fallback.authorityCapabilities());
        return Set.copyOf(capabilities);
    }

    /** In an existing composite the primary may be down, or need an operator: neither keeps a process from starting. */
    private static void tryPrimary(CompositeLockStore store, Duration timeout) {
        try {
            store.checkPrimary(timeout)
                    .objection()
                    .ifPresent(objection -> log.warn("the primary cannot grant for now: it {}", objection));
        } catch (LockUnavailableException e) {
            log.warn("the primary cannot be reached for now: {}", e.getMessage());
        } catch (LockConfigurationException e) {
            log.debug("the primary cannot be opened for now; the cause was logged before", e);
        }
    }

    /** Needs both stores: every token must be greater than those that the primary remembers. */
    private static AuthorityState initialize(
            CompositeLockStore store, AuthorityStore authority, Timing timing, boolean make, Duration timeout) {
        if (!make) {
            throw new LockConfigurationException(
                    "there is no composite in this namespace yet; the first use of a lock creates it");
        }
        try {
            PrimaryHealth health = store.checkPrimary(timeout);
            return authority.initialize(timing.lease(), Math.max(health.clock(), health.highestToken()), timeout);
        } catch (LockUnavailableException e) {
            throw new LockUnavailableException(
                    "the first process of a composite has to reach both of its stores: " + e.getMessage(), e);
        }
    }

    private static <T> T part(Class<T> kind, ConfigKey<String> key, Config config) {
        LockProvider found = LockProviders.find().named(key.name(), config.get(key));
        if (!kind.isInstance(found)) {
            throw config.invalid(key, key.defaultText() + ", or another store that supports this role");
        }
        return kind.cast(found);
    }

    private static Timing timing(Config config) {
        Timing timing = new Timing(config.get(AUTHORITY_LEASE));
        Duration shortest = shortestLease(timing, config);
        if (config.lease().compareTo(shortest) < 0) {
            throw config.invalid(
                    EngineKeys.LEASE,
                    DurationText.format(shortest) + " or longer, to survive a failover with " + AUTHORITY_LEASE + "="
                            + DurationText.format(timing.lease()) + " and calls that may take "
                            + DurationText.format(config.callTimeout(shortest)));
        }
        return timing;
    }

    private static Duration shortestLease(Timing timing, Config config) {
        return timing.shortestLease(config.callTimeout(DurationLimits.MAX));
    }

    private static void requireSame(Timing timing, AuthorityState current, Config config) {
        if (!current.lease().equals(timing.lease())) {
            throw config.invalid(
                    AUTHORITY_LEASE,
                    DurationText.format(current.lease()) + ", as in the processes that share these locks");
        }
    }
}
