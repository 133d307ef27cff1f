package dev.holdfast.lock.bench.peer;

import static java.util.stream.Collectors.toMap;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.spi.Share;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Holdfast as an application uses it: opened by a configuration, with renewal and fairness. Other packages use only the
 * configurations.
 */
public final class HoldfastPeer {

    private static final String NAMESPACE = "bench";
    /** A separate namespace, as the locks of a composite belong to it alone. */
    private static final String COMPOSITE_NAMESPACE = "bench-composite";

    private HoldfastPeer() {}

    /** A configuration for this port of the loopback address. */
    public static Properties redis(int port, String namespace) {
        return of("lock.provider", "redis", "lock.namespace", namespace, "lock.redis.uri", "redis://127.0.0.1:" + port);
    }

    public static Properties database(Endpoints endpoints, String namespace) {
        return of(
                "lock.provider",
                "jdbc",
                "lock.namespace",
                namespace,
                "lock.jdbc.url",
                endpoints.jdbcUrl(),
                "lock.jdbc.username",
                endpoints.jdbcUsername());
    }

    private static Properties of(String... keysAndValues) {
        Properties settings = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return settings;
    }

    /** The settings as options of a JVM that calls {@link #fromSystemProperties()}. */
    public static List<String> toJvmOptions(Properties settings) {
        return settings.stringPropertyNames().stream()
                .map(key -> "-D" + key + "=" + settings.getProperty(key))
                .toList();
    }

    public static Properties fromSystemProperties() {
        Properties settings = new Properties();
        System.getProperties().stringPropertyNames().stream()
                .filter(key -> key.startsWith("lock."))
                .forEach(key -> settings.setProperty(key, System.getProperty(key)));
        return settings;
    }

    /** The settings as environment variables for the command line. */
    public static Map<String, String> toEnvironment(Properties settings) {
        return settings.stringPropertyNames().stream()
                .collect(toMap(
                        key -> key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'),
                        settings::getProperty));
    }

    static Peer onRedis(Endpoints endpoints) {
        return open(redis(endpoints.redisPort(), NAMESPACE));
    }

    /** Does not wait for the end of a release. */
    static Peer asyncOnRedis(Endpoints endpoints) {
        return open(redis(endpoints.redisPort(), NAMESPACE), lease -> {
            CompletableFuture<Boolean> unused = lease.releaseAsync();
        });
    }

    static Peer strictOnRedis(Endpoints endpoints) {
        return open(strict(redis(endpoints.redisPort(), NAMESPACE)));
    }

    /** A composite with Redis as the primary and the database as the authority. */
    static Peer onComposite(Endpoints endpoints) {
        Properties settings = database(endpoints, COMPOSITE_NAMESPACE);
        settings.putAll(redis(endpoints.redisPort(), COMPOSITE_NAMESPACE));
        settings.setProperty("lock.provider", "composite");
        return open(settings);
    }

    static Peer onDatabase(Endpoints endpoints) {
        return open(database(endpoints, NAMESPACE));
    }

    static Peer strictOnDatabase(Endpoints endpoints) {
        return open(strict(database(endpoints, NAMESPACE)));
    }

    private static Properties strict(Properties settings) {
        settings.setProperty("lock.max-local-handoffs", "1");
        return settings;
    }

    private static Peer open(Properties settings) {
        return open(settings, Lease::release);
    }

    private static Peer open(Properties settings, Consumer<Lease> release) {
        settings.setProperty("lock.acquire-timeout", "10m");
        Locks locks = Locks.open(settings);
        return new Peer(
                (name, share) -> {
                    Lease lease = lock(locks, name, share).acquire();
                    return () -> release.accept(lease);
                },
                locks::close);
    }

    private static DistributedLock lock(Locks locks, String name, Share share) {
        if (share.isExclusive()) {
            return locks.named(name);
        }
        return share.kind() == LeaseKind.SHARED
                ? locks.named(name).shared()
                : locks.semaphore(name, share.limit()).permits(share.permits());
    }
}
