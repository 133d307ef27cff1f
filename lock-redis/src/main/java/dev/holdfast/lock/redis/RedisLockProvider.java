package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.connection.Access;
import dev.holdfast.lock.redis.connection.Failures;
import dev.holdfast.lock.redis.connection.Opening;
import dev.holdfast.lock.redis.connection.RedisUri;
import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.examination.Subject;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Secrets;
import dev.holdfast.lock.spi.regime.PrimaryProvider;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import redis.clients.jedis.exceptions.JedisException;

/**
 * {@code lock.provider=redis}: locks in Redis or Valkey.
 *
 * <ul>
 *   <li>{@code lock.redis.uri}: required. {@code redis://host:6379/0}, {@code redis-sentinel://host1,host2/master/0} or
 *       {@code redis-cluster://host1,host2}; with {@code rediss} instead of {@code redis} by TLS.
 *   <li>{@code lock.redis.username}, {@code lock.redis.password}: the ACL user, unless the URI names it.
 *   <li>{@code lock.redis.sentinel-username}, {@code lock.redis.sentinel-password}: the same at the sentinels.
 *   <li>{@code lock.redis.trust-store}, {@code lock.redis.trust-store-password}: whom to trust by TLS; whom Java trusts
 *       unless set.
 *   <li>{@code lock.redis.pool-size}: how many calls may be under way to one server at a time (16); one more connection
 *       listens for signals while somebody waits.
 *   <li>{@code lock.redis.timeout}: how long connecting may take (3s); no call to the store waits for that beyond its own
 *       timeout.
 * </ul>
 */
@SuppressWarnings("exports") // a composite's part in it is for our own modules
public final class RedisLockProvider implements PrimaryProvider {

    private static final String URI = "lock.redis.uri";
    private static final String USERNAME = "lock.redis.username";
    private static final String PASSWORD = "lock.redis.password";
    private static final String SENTINEL_USERNAME = "lock.redis.sentinel-username";
    private static final String SENTINEL_PASSWORD = "lock.redis.sentinel-password";
    private static final String TRUST_STORE = "lock.redis.trust-store";
    private static final String TRUST_STORE_PASSWORD = "lock.redis.trust-store-password";
    private static final String POOL_SIZE = "lock.redis.pool-size";
    private static final String TIMEOUT = "lock.redis.timeout";

    private static final int DEFAULT_POOL_SIZE = 16;

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(10);

    /** For {@link java.util.ServiceLoader}. */
    public RedisLockProvider() {}

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Set<Key> keys() {
        return Set.of(
                Key.required(URI),
                Key.optional(USERNAME, "none"),
                Key.secret(PASSWORD),
                Key.optional(SENTINEL_USERNAME, "none"),
                Key.secret(SENTINEL_PASSWORD),
                Key.optional(TRUST_STORE, "whom Java trusts"),
                Key.secret(TRUST_STORE_PASSWORD),
                Key.optional(POOL_SIZE, Integer.toString(DEFAULT_POOL_SIZE)),
                Key.optional(TIMEOUT, DEFAULT_TIMEOUT.toSeconds() + "s"));
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        RedisUri uri = uri(config);
        return RedisLockStore.on(
                subject(uri, access(uri, config), namespace), uri.toString(), Deadline.in(RedisLockStore.OPENING));
    }

    /**
     * {@inheritDoc}
     *
     * @return throws a {@link LockUnavailableException} also if it is a replica, which may become the master
     * @throws LockConfigurationException also for a Cluster
     */
    @Override
    public Supplier<PrimaryStore> primary(Namespace namespace, Config config) {
        RedisUri uri = uri(config);
        if (uri.topology() == Topology.CLUSTER) {
            throw config.invalid(URI, "no Cluster yet where a composite is made of it, but standalone or Sentinel");
        }
        Access access = access(uri, config);
        return () -> new RedisPrimaryStore(Contact.with(
                subject(uri, access, namespace).asPrimary(), uri.toString(), Deadline.in(RedisLockStore.OPENING)));
    }

    private static Subject subject(RedisUri uri, Access access, Namespace namespace) {
        try {
            Servers servers = Opening.of(uri, access);
            return new Subject(servers, uri.topology(), access.username().orElse("default"), namespace);
        } catch (JedisException e) {
            throw Failures.opening(uri, e);
        }
    }

    private static RedisUri uri(Config config) {
        String text = config.required(URI);
        try {
            return RedisUri.of(text);
        } catch (IllegalArgumentException e) {
            LockConfigurationException invalid = config.invalid(URI, RedisUri.FORMS + ": " + e.getMessage());
            throw new LockConfigurationException(String.valueOf(invalid.getMessage())
                    .replace(URI + "=" + Secrets.maskedUrl(text), URI + "=" + RedisUri.masked(text)));
        }
    }

    private static Access access(RedisUri uri, Config config) {
        return new Access(
                once(uri.username(), USERNAME, config),
                once(uri.password(), PASSWORD, config),
                config.text(SENTINEL_USERNAME),
                config.text(SENTINEL_PASSWORD),
                trust(uri, config),
                config.integer(POOL_SIZE, DEFAULT_POOL_SIZE, 1, 1_000),
                config.duration(TIMEOUT, SHORTEST_TIMEOUT).orElse(DEFAULT_TIMEOUT));
    }

    private static Optional<String> once(Optional<String> inUri, String key, Config config) {
        Optional<String> given = config.text(key);
        if (inUri.isPresent() && given.isPresent()) {
            throw config.invalid(key, "nothing here, as " + URI + " says it too");
        }
        return inUri.or(() -> given);
    }

    private static Optional<Access.Trust> trust(RedisUri uri, Config config) {
        Optional<String> file = config.text(TRUST_STORE);
        if (file.isEmpty()) {
            if (config.text(TRUST_STORE_PASSWORD).isPresent()) {
                throw config.invalid(TRUST_STORE_PASSWORD, "nothing without " + TRUST_STORE);
            }
            return Optional.empty();
        }
        if (!uri.isTls()) {
            throw config.invalid(TRUST_STORE, "nothing without TLS: " + URI + " has to begin with rediss");
        }
        Optional<String> password = config.text(TRUST_STORE_PASSWORD);
        return Optional.of(new Access.Trust(readable(file.get(), password, config), password));
    }

    private static Path readable(String file, Optional<String> password, Config config) {
        try {
            KeyStore store = KeyStore.getInstance(
                    new File(file), password.map(String::toCharArray).orElse(null));
            if (store.size() > 0) {
                return Path.of(file);
            }
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw config.invalid(TRUST_STORE, "a file with certificates that can be read: " + e.getMessage());
        }
        throw config.invalid(TRUST_STORE, "a file with certificates; some show none without " + TRUST_STORE_PASSWORD);
    }
}
