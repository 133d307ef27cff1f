package dev.holdfast.lock.spring.boot3;

import dev.holdfast.lock.spring.boot.internal.RedisSettings;
import dev.holdfast.lock.spring.boot.internal.StoreAddress;
import dev.holdfast.lock.spring.boot.internal.StoreKind;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Cluster;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Node;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Sentinel;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;

/** The Redis of the application's connection factory. */
final class Boot3RedisAddress implements StoreAddress {

    private final ObjectProvider<RedisConnectionDetails> details;
    private final Environment environment;

    Boot3RedisAddress(ObjectProvider<RedisConnectionDetails> details, Environment environment) {
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
        RedisConnectionDetails found = details.getObject();
        Sentinel sentinel = found.getSentinel();
        if (sentinel != null) {
            return with(found, sentinel.getSslBundle())
                    .sentinels(
                            nodes(sentinel.getNodes()),
                            sentinel.getMaster(),
                            sentinel.getDatabase(),
                            sentinel.getUsername(),
                            sentinel.getPassword());
        }
        Cluster cluster = found.getCluster();
        if (cluster != null) {
            return with(found, cluster.getSslBundle()).cluster(nodes(cluster.getNodes()));
        }
        Standalone standalone = found.getStandalone();
        if (standalone == null) {
            throw RedisSettings.refused(
                    "the RedisConnectionDetails bean names no server", "set holdfast.redis.uri to the address");
        }
        return with(found, standalone.getSslBundle())
                .standalone(standalone.getHost(), standalone.getPort(), standalone.getDatabase());
    }

    @Override
    public @Nullable SslBundle sslBundle() {
        RedisConnectionDetails found = details.getObject();
        Sentinel sentinel = found.getSentinel();
        Cluster cluster = found.getCluster();
        Standalone standalone = found.getStandalone();
        return RedisSettings.withCertificates(
                sentinel != null
                        ? sentinel.getSslBundle()
                        : cluster != null
                                ? cluster.getSslBundle()
                                : standalone == null ? null : standalone.getSslBundle());
    }

    private RedisSettings with(RedisConnectionDetails found, @Nullable SslBundle bundle) {
        return new RedisSettings(environment, bundle, found.getUsername(), found.getPassword());
    }

    private static List<String> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> RedisSettings.node(node.host(), node.port()))
                .toList();
    }
}
