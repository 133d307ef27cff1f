package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.client.ConnectionSettings;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * TLS with certificates that the application keeps, its own among them: {@code lock.redis.ssl-bundle} names what was registered here.
 * The starters of Spring Boot register an SSL bundle of the application by its name.
 *
 * <pre>{@code
 * try (var registration = RedisSslBundles.register("shop", sslContext, new SSLParameters())) {
 *     locks = Locks.open(properties);   // with lock.redis.ssl-bundle=shop
 * }
 * }</pre>
 *
 * <p>A store reads it when it is opened. Thread-safe.
 */
public final class RedisSslBundles {

    private static final Map<String, ConnectionSettings.Bundle> REGISTERED = new ConcurrentHashMap<>();

    private RedisSslBundles() {}

    /**
     * Registers a bundle until the registration is closed.
     *
     * @param name such as {@code lock.redis.ssl-bundle} names it
     * @param context makes the connections
     * @param parameters their cipher suites and protocols; the host of the certificate is verified whatever they say
     * @throws IllegalStateException if another bundle is registered by this name
     */
    public static Registration register(String name, SSLContext context, SSLParameters parameters) {
        ConnectionSettings.Bundle bundle = new ConnectionSettings.Bundle(name, context, parameters);
        if (REGISTERED.putIfAbsent(name, bundle) != null) {
            throw new IllegalStateException("an SSL bundle '" + name + "' is registered already");
        }
        return () -> REGISTERED.remove(name, bundle);
    }

    static Optional<ConnectionSettings.Bundle> find(String name) {
        return Optional.ofNullable(REGISTERED.get(name));
    }

    /** Ends when it is closed. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {

        /** Stores that are opened from now on do not find the bundle; those that are open keep it. */
        @Override
        void close();
    }
}
