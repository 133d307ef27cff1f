package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.boot.internal.RedisSettings;
import dev.holdfast.lock.spring.boot.internal.StoreAddress;
import dev.holdfast.lock.spring.boot.internal.StoreKind;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;
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
        RedisSettings settings =
                new RedisSettings(environment, found.getSslBundle(), found.getUsername(), found.getPassword());
        Sentinel sentinel = found.getSentinel();
        if (sentinel != null) {
            return settings.sentinels(
                    nodes(sentinel.getNodes()),
                    sentinel.getMaster(),
                    sentinel.getDatabase(),
                    sentinel.getUsername(),
                    sentinel.getPassword());
        }
        Cluster cluster = found.getCluster();
        if (cluster != null) {
            return settings.cluster(nodes(cluster.getNodes()));
        }
        Standalone standalone = found.getStandalone();
        if (found.getMasterReplica() != null || standalone == null) {
            throw RedisSettings.refused(
                    "spring.data.redis.masterreplica names servers, but not which of them is the master",
                    "set holdfast.redis.uri to the master, or to its sentinels");
        }
        return settings.standalone(standalone.getHost(), standalone.getPort(), standalone.getDatabase());
    }

    @Override
    public @Nullable SslBundle sslBundle() {
        return RedisSettings.withCertificates(details.getObject().getSslBundle());
    }

    private static List<String> nodes(List<Node> nodes) {
        return nodes.stream()
                .map(node -> RedisSettings.node(node.host(), node.port()))
                .toList();
    }
}
