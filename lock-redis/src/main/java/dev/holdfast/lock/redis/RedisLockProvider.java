package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.client.ConnectionSettings;
import dev.holdfast.lock.redis.client.RedisErrors;
import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.client.RedisUri;
import dev.holdfast.lock.redis.client.RedisUri.Topology;
import dev.holdfast.lock.redis.doctor.RedisTarget;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.PrimaryProvider;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.Durations;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.exceptions.JedisException;

/** {@code lock.provider=redis}: locks in Redis or Valkey. The documentation lists its keys on the page Configuration. */
@SuppressWarnings("exports") // primary() is for our own modules
public final class RedisLockProvider implements PrimaryProvider {

    private static final ConfigKey<String> URI =
            ConfigKey.text("lock.redis.uri", "URI of the servers").required();
    private static final ConfigKey<String> USERNAME = ConfigKey.text("lock.redis.username", "the ACL user");
    private static final ConfigKey<String> PASSWORD = ConfigKey.text(
                    "lock.redis.password", "the password of the ACL user")
            .secret();
    private static final ConfigKey<String> SENTINEL_USERNAME =
            ConfigKey.text("lock.redis.sentinel-username", "the ACL user at the sentinels");
    private static final ConfigKey<String> SENTINEL_PASSWORD = ConfigKey.text(
                    "lock.redis.sentinel-password", "the password at the sentinels")
            .secret();
    private static final ConfigKey<String> TRUST_STORE = ConfigKey.text(
                    "lock.redis.trust-store", "the certificates to trust by TLS, as keytool keeps them")
            .withDefaultText("those of Java");
    private static final ConfigKey<String> TRUST_STORE_PASSWORD = ConfigKey.text(
                    "lock.redis.trust-store-password", "the password of the trust store")
            .secret();
    private static final ConfigKey<String> SSL_BUNDLE =
            ConfigKey.text("lock.redis.ssl-bundle", "the name of certificates that the application has registered");
    private static final ConfigKey<Integer> POOL_SIZE = ConfigKey.integer(
                    "lock.redis.pool-size", 1, 1_000, "concurrent calls to one server")
            .withDefault(16);
    private static final ConfigKey<Duration> TIMEOUT = ConfigKey.duration(
                    "lock.redis.timeout", Duration.ofMillis(10), "how long connecting may take")
            .withDefault(Duration.ofSeconds(3));

    /** For {@link java.util.ServiceLoader}. */
    public RedisLockProvider() {}

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(
                URI,
                USERNAME,
                PASSWORD,
                SENTINEL_USERNAME,
                SENTINEL_PASSWORD,
                TRUST_STORE,
                TRUST_STORE_PASSWORD,
                SSL_BUNDLE,
                POOL_SIZE,
                TIMEOUT);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        RedisUri uri = uri(config);
        ConnectionSettings settings = settings(uri, config);
        return withOrigins(
                config,
                () -> RedisLockStore.open(target(uri, settings, namespace), uri.toString(), openingDeadline(config)));
    }

    /**
     * {@inheritDoc}
     *
     * @return a supplier that throws a {@link LockUnavailableException} also if the server is a replica, which may become
     *     the master
     * @throws LockConfigurationException also for a Cluster
     */
    @Override
    public Supplier<PrimaryStore> primary(Namespace namespace, Config config) {
        RedisUri uri = uri(config);
        if (uri.topology() == Topology.CLUSTER) {
            throw config.invalid(URI, "a standalone server or Sentinel, as a composite needs one");
        }
        ConnectionSettings settings = settings(uri, config);
        return () -> withOrigins(
                config,
                () -> new RedisPrimaryStore(RedisSession.open(
                        target(uri, settings, namespace).asPrimary(), uri.toString(), openingDeadline(config))));
    }

    private static Deadline openingDeadline(Config config) {
        return Deadline.in(Durations.max(RedisLockStore.OPENING, config.callTimeout()));
    }

    @Override
    public Set<Capability> primaryCapabilities() {
        return RedisLockStore.CAPABILITIES;
    }

    /** Opens the servers; an error names the origins of the address and the credentials. */
    private static <T> T withOrigins(Config config, Supplier<T> opening) {
        try {
            return opening.get();
        } catch (LockConfigurationException e) {
            throw new LockConfigurationException(e.getMessage() + origins(config), e.getCause());
        } catch (LockUnavailableException e) {
            throw new LockUnavailableException(e.getMessage() + origins(config), e.getCause());
        }
    }

    private static String origins(Config config) {
        return Stream.of(URI, USERNAME, PASSWORD, SENTINEL_USERNAME, SENTINEL_PASSWORD, TRUST_STORE)
                .filter(key -> config.find(key).isPresent())
                .map(config::withOrigin)
                .collect(Collectors.joining(", ", "; see ", ""));
    }

    private static RedisTarget target(RedisUri uri, ConnectionSettings settings, Namespace namespace) {
        try {
            RedisServers servers = RedisServers.open(uri, settings);
            return new RedisTarget(servers, uri.topology(), settings.username().orElse("default"), namespace);
        } catch (JedisException e) {
            throw RedisErrors.opening(uri.toString(), e);
        }
    }

    private static RedisUri uri(Config config) {
        String text = config.get(URI);
        try {
            return RedisUri.of(text);
        } catch (IllegalArgumentException e) {
            throw config.invalid(URI, RedisUri.masked(text), RedisUri.FORMS + ": " + e.getMessage());
        }
    }

    private static ConnectionSettings settings(RedisUri uri, Config config) {
        return new ConnectionSettings(
                onlyOnce(uri.username(), USERNAME, config),
                onlyOnce(uri.password(), PASSWORD, config),
                config.find(SENTINEL_USERNAME),
                config.find(SENTINEL_PASSWORD),
                tls(uri, config),
                config.get(POOL_SIZE),
                config.get(TIMEOUT));
    }

    private static Optional<String> onlyOnce(Optional<String> inUri, ConfigKey<String> key, Config config) {
        Optional<String> given = config.find(key);
        if (inUri.isPresent() && given.isPresent()) {
            throw config.invalid(key, "nothing here, as " + URI + " has it too");
        }
        return inUri.or(() -> given);
    }

    private static Optional<ConnectionSettings.Tls> tls(RedisUri uri, Config config) {
        Optional<String> bundle = config.find(SSL_BUNDLE);
        Optional<ConnectionSettings.Tls> trustStore = trustStore(uri, config);
        if (bundle.isEmpty()) {
            return trustStore;
        }
        if (trustStore.isPresent()) {
            throw config.invalid(SSL_BUNDLE, "nothing beside " + TRUST_STORE + ": a bundle has its own");
        }
        requireTls(uri, SSL_BUNDLE, config);
        return Optional.of(RedisSslBundles.find(bundle.get())
                .orElseThrow(() -> config.invalid(
                        SSL_BUNDLE, "the name of a bundle that the application has registered with RedisSslBundles")));
    }

    private static void requireTls(RedisUri uri, ConfigKey<?> key, Config config) {
        if (!uri.isTls()) {
            throw config.invalid(key, "nothing without TLS: " + URI + " has to begin with rediss");
        }
    }

    private static Optional<ConnectionSettings.Tls> trustStore(RedisUri uri, Config config) {
        Optional<String> file = config.find(TRUST_STORE);
        if (file.isEmpty()) {
            if (config.find(TRUST_STORE_PASSWORD).isPresent()) {
                throw config.invalid(TRUST_STORE_PASSWORD, "nothing without " + TRUST_STORE);
            }
            return Optional.empty();
        }
        requireTls(uri, TRUST_STORE, config);
        Optional<String> password = config.find(TRUST_STORE_PASSWORD);
        return Optional.of(new ConnectionSettings.TrustStore(readable(file.get(), password, config), password));
    }

    private static Path readable(String file, Optional<String> password, Config config) {
        try {
            KeyStore store = KeyStore.getInstance(
                    new File(file), password.map(String::toCharArray).orElse(null));
            if (store.size() > 0) {
                return Path.of(file);
            }
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw config.invalid(TRUST_STORE, "a readable file with certificates: " + e.getMessage());
        }
        throw config.invalid(
                TRUST_STORE, "a file with certificates, which some show only with " + TRUST_STORE_PASSWORD);
    }
}
