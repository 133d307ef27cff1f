package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.core.env.Environment;

/** The Redis of the application's connection factory. */
final class RedisAddress implements StoreAddress {

    private final ObjectProvider<DataRedisConnectionDetails> details;
    private final Environment environment;

    RedisAddress(ObjectProvider<DataRedisConnectionDetails> details, Environment environment) {
        this.details = details;
        this.environment = environment;
    }

    @Override
    public StoreKind kind() {
        return StoreKind.REDIS;
    }

    @Override
    public boolean isKnown() {
        return details.getIfUnique() != null;
    }

    @Override
    public Map<String, String> settings() {
        DataRedisConnectionDetails found = details.getObject();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(kind().addressKey(), uri(found));
        put(settings, "lock.redis.username", found.getUsername());
        put(settings, "lock.redis.password", found.getPassword());
        Sentinel sentinel = found.getSentinel();
        if (sentinel != null) {
            put(settings, "lock.redis.sentinel-username", sentinel.getUsername());
            put(settings, "lock.redis.sentinel-password", sentinel.getPassword());
        }
        return settings;
    }

    private String uri(DataRedisConnectionDetails found) {
        String redis = isTls(found) ? "rediss" : "redis";
        Sentinel sentinel = found.getSentinel();
        if (sentinel != null) {
            return redis + "-sentinel://" + hosts(sentinel.getNodes()) + "/" + sentinel.getMaster() + "/"
                    + sentinel.getDatabase();
        }
        Cluster cluster = found.getCluster();
        if (cluster != null) {
            return redis + "-cluster://" + hosts(cluster.getNodes());
        }
        Standalone standalone = found.getStandalone();
        if (found.getMasterReplica() != null || standalone == null) {
            throw refused(
                    "spring.data.redis.masterreplica names servers, and not which of them is the master",
                    "set holdfast.redis.uri to the master, or to its sentinels");
        }
        return redis + "://" + host(standalone.getHost(), standalone.getPort()) + "/" + standalone.getDatabase();
    }

    /** A bundle without settings of its own is the JVM's TLS; another one is of Java objects, of which Holdfast needs the files. */
    private boolean isTls(DataRedisConnectionDetails found) {
        SslBundle bundle = found.getSslBundle();
        if (bundle == null) { // also where the URL asks for TLS
            return environment.getProperty("spring.data.redis.url", "").startsWith("rediss:");
        }
        SslStoreBundle stores = bundle.getStores();
        SslOptions options = bundle.getOptions();
        if (stores.getKeyStore() != null
                || stores.getTrustStore() != null
                || options.getCiphers() != null
                || options.getEnabledProtocols() != null) {
            throw refused(
                    "the SSL bundle of spring.data.redis cannot be used for locks",
                    "set holdfast.redis.uri to a rediss:// address, and holdfast.redis.trust-store to a file with the"
                            + " certificates to trust");
        }
        return true;
    }

    private static LockConfigurationException refused(String reason, String advice) {
        return new LockConfigurationException("lock.redis.uri is not set, and " + reason + ": " + advice);
    }

    private static String hosts(List<Node> nodes) {
        return nodes.stream().map(node -> host(node.host(), node.port())).collect(Collectors.joining(","));
    }

    private static String host(String host, int port) {
        boolean isBareIpv6 = host.contains(":") && !host.startsWith("[");
        return (isBareIpv6 ? "[" + host + "]" : host) + ":" + port;
    }

    private static void put(Map<String, String> settings, String key, @Nullable String value) {
        if (value != null) {
            settings.put(key, value);
        }
    }
}
