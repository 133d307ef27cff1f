package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import java.time.Duration;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/** From an address, or from the application's client, to the servers. */
public final class Opening {

    private Opening() {}

    /**
     * Opens what {@link Servers#close} closes.
     *
     * @throws LockConfigurationException if there are sentinels, but not of this master
     * @throws JedisException if the servers cannot be reached, or let nobody in
     */
    public static Servers of(RedisUri uri, Access access) {
        return switch (uri.topology()) {
            case STANDALONE -> {
                HostAndPort host = uri.hosts().iterator().next();
                RedisClient client = RedisClient.builder()
                        .hostAndPort(host)
                        .clientConfig(access.ofServers(uri))
                        .poolConfig(pool(access))
                        .build();
                yield new SingleServer(client::getPool, client::close);
            }
            case SENTINEL -> {
                SentinelInquiry.requireMaster(uri, access.ofSentinels(uri));
                RedisSentinelClient client = RedisSentinelClient.builder()
                        .masterName(uri.master())
                        .sentinels(uri.hosts())
                        .clientConfig(access.ofServers(uri))
                        .sentinelClientConfig(access.ofSentinels(uri))
                        .poolConfig(pool(access))
                        .build();
                yield new SingleServer(
                        () -> client.getPrimaryNodesConnectionMap()
                                .values()
                                .iterator()
                                .next(),
                        client::close);
            }
            case CLUSTER -> {
                RedisClusterClient client = RedisClusterClient.builder()
                        .nodes(uri.hosts())
                        .clientConfig(access.ofServers(uri))
                        .poolConfig(pool(access))
                        .maxTotalRetriesDuration(access.timeout())
                        .build();
                yield new ClusterServers(client, client::close);
            }
        };
    }

    /**
     * On the application's client, which stays the application's to close.
     *
     * @throws LockConfigurationException if it is of a kind that hands out no connections
     */
    public static Servers of(UnifiedJedis client) {
        if (client instanceof RedisClient one) {
            return new SingleServer(one::getPool, () -> {});
        } else if (client instanceof RedisSentinelClient one) {
            return new SingleServer(
                    () -> one.getPrimaryNodesConnectionMap().values().iterator().next(), () -> {});
        } else if (client instanceof RedisClusterClient cluster) {
            return new ClusterServers(cluster, () -> {});
        }
        throw new LockConfigurationException(
                "locks need a RedisClient, a RedisSentinelClient or a RedisClusterClient, not a "
                        + client.getClass().getName());
    }

    /** How the servers of a client belong together. */
    public static Topology topology(UnifiedJedis client) {
        if (client instanceof RedisClusterClient) {
            return Topology.CLUSTER;
        }
        return client instanceof RedisSentinelClient ? Topology.SENTINEL : Topology.STANDALONE;
    }

    /** One more for the signals. No thread looks after idle connections: what is broken shows when it is used. */
    private static ConnectionPoolConfig pool(Access access) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(access.poolSize() + 1);
        pool.setMaxIdle(access.poolSize() + 1);
        pool.setMaxWait(access.timeout());
        pool.setTestWhileIdle(false);
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
        pool.setJmxEnabled(false);
        return pool;
    }
}
