package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.client.ConnectionSettings;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * TLS with certificates that the application manages, its own among them: {@code lock.redis.ssl-bundle} names a bundle registered
 * here. The Spring Boot starters register the application's SSL bundle under its name.
 *
 * <pre>{@code
 * try (var registration = RedisSslBundles.register("shop", sslContext, new SSLParameters())) {
 *     locks = Locks.open(properties);   // with lock.redis.ssl-bundle=shop
 * }
 * }</pre>
 *
 * <p>A store reads the bundle when it is opened. Thread-safe.
 */
public final class RedisSslBundles {

    private static final Map<String, ConnectionSettings.Bundle> REGISTERED = new ConcurrentHashMap<>();

    private RedisSslBundles() {}

    /**
     * Registers a bundle until the registration is closed.
     *
     * @param name the value of {@code lock.redis.ssl-bundle}
     * @param context creates the connections
     * @param parameters their cipher suites and protocols; the host name in the certificate is verified regardless of
     *     them
     * @throws IllegalStateException if another bundle is registered under this name
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

    /** A registration, which ends when it is closed. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {

        /** Stores opened from now on do not find the bundle; open ones keep it. */
        @Override
        void close();
    }
}
