package dev.holdfast.lock.spring.boot.internal;

import dev.holdfast.lock.LockConfigurationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.core.env.Environment;

/** The settings that point the locks to the Redis of the application's connection factory. */
public final class RedisSettings {

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final String scheme;

    /**
     * Begins with the settings that are the same for every topology.
     *
     * @param bundle of Boot's connections, null if they have none
     * @param environment of the application; Boot forgets that its URL asks for TLS
     */
    public RedisSettings(
            Environment environment, @Nullable SslBundle bundle, @Nullable String username, @Nullable String password) {
        boolean tls = bundle != null
                || environment.getProperty("spring.data.redis.url", "").startsWith("rediss:");
        scheme = tls ? "rediss" : "redis";
        put("lock.redis.username", username);
        put("lock.redis.password", password);
    }

    /** One server. */
    public Map<String, String> standalone(String host, int port, int database) {
        return withUri("://" + node(host, port) + "/" + database);
    }

    /**
     * The master that sentinels name.
     *
     * @param nodes each made by {@link #node}
     */
    public Map<String, String> sentinels(
            List<String> nodes, String master, int database, @Nullable String username, @Nullable String password) {
        put("lock.redis.sentinel-username", username);
        put("lock.redis.sentinel-password", password);
        return withUri("-sentinel://" + String.join(",", nodes) + "/" + master + "/" + database);
    }

    /**
     * A cluster.
     *
     * @param nodes each made by {@link #node}
     */
    public Map<String, String> cluster(List<String> nodes) {
        return withUri("-cluster://" + String.join(",", nodes));
    }

    /** Host and port as part of a URI. */
    public static String node(String host, int port) {
        boolean isBareIpv6 = host.contains(":") && !host.startsWith("[");
        return (isBareIpv6 ? "[" + host + "]" : host) + ":" + port;
    }

    /** The error about connections that the locks cannot share. */
    public static LockConfigurationException refused(String reason, String advice) {
        return new LockConfigurationException("lock.redis.uri is not set, and " + reason + ": " + advice);
    }

    /** The bundle; null if there is none, or it has no settings of its own and so equals the JVM's TLS. */
    public static @Nullable SslBundle withCertificates(@Nullable SslBundle bundle) {
        if (bundle == null) {
            return null;
        }
        SslStoreBundle stores = bundle.getStores();
        SslOptions options = bundle.getOptions();
        boolean isOfJava = stores.getKeyStore() == null
                && stores.getTrustStore() == null
                && options.getCiphers() == null
                && options.getEnabledProtocols() == null;
        return isOfJava ? null : bundle;
    }

    private Map<String, String> withUri(String rest) {
        settings.put(StoreKind.REDIS.addressKey(), scheme + rest);
        return Map.copyOf(settings);
    }

    private void put(String key, @Nullable String value) {
        if (value != null) {
            settings.put(key, value);
        }
    }
}
