package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.spi.Deadline;
import java.util.Map;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** From an address, or from the application's client, to the servers. */
public final class Opening {

    /** Of the application's single server, which its client does not say. */
    private static final HostAndPort UNKNOWN = new HostAndPort("the application's server", 0);

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
                OwnNode node = new OwnNode(uri.hosts().iterator().next(), access.ofServers(uri), access.poolSize());
                yield new SingleServer(() -> node, node::close);
            }
            case SENTINEL -> {
                SentinelInquiry.requireMaster(uri, access.ofSentinels(uri));
                Masters masters = new Masters(uri, access);
                yield new SingleServer(masters::present, masters::close);
            }
            case CLUSTER -> {
                OwnNodes nodes = new OwnNodes(uri.hosts(), access.ofServers(uri), access.poolSize());
                yield cluster(nodes, Deadline.in(access.timeout()));
            }
        };
    }

    private static Servers cluster(Nodes nodes, Deadline deadline) {
        try {
            return new ClusterServers(nodes, deadline);
        } catch (RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    /**
     * On the application's client, which stays the application's to close.
     *
     * @throws LockConfigurationException if it is of a kind that hands out no connections
     * @throws JedisException if it is one of a Cluster that does not answer by then
     */
    public static Servers of(UnifiedJedis client, Deadline deadline) {
        if (client instanceof RedisClient one) {
            requireTwo(one.getPool());
            return new SingleServer(() -> new CallersNode(UNKNOWN, one.getPool()), () -> {});
        } else if (client instanceof RedisSentinelClient one) {
            one.getPrimaryNodesConnectionMap().values().forEach(Opening::requireTwo);
            return new SingleServer(() -> master(one), () -> {});
        } else if (client instanceof RedisClusterClient cluster) {
            cluster.getClusterNodes().values().forEach(Opening::requireTwo);
            return cluster(new CallersNodes(cluster), deadline);
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

    /** One listens as long as anybody waits. */
    private static void requireTwo(Pool<Connection> pool) {
        if (pool.getMaxTotal() == 1) {
            throw new LockConfigurationException(
                    "the application's client has one connection; locks need a pool of two at least, as one listens while"
                            + " somebody waits");
        }
    }

    private static Node master(RedisSentinelClient client) {
        Map.Entry<?, Pool<Connection>> master =
                client.getPrimaryNodesConnectionMap().entrySet().iterator().next();
        return new CallersNode((HostAndPort) master.getKey(), master.getValue());
    }
}
