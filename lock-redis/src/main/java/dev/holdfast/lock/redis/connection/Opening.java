package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.redis.connection.RedisUri.Topology;
import dev.holdfast.lock.spi.Deadline;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
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
                yield new SingleServer(alone(node), access.poolSize());
            }
            case SENTINEL -> new SingleServer(new Masters(uri, access), access.poolSize());
            case CLUSTER -> {
                OwnNodes nodes = new OwnNodes(uri.hosts(), access.ofServers(uri), access.poolSize());
                yield cluster(nodes, access.poolSize(), Deadline.in(access.timeout()));
            }
        };
    }

    private static Place alone(OwnNode node) {
        return new Place() {
            @Override
            public Node present() {
                return node;
            }

            @Override
            public void close() {
                node.close();
            }
        };
    }

    private static Servers cluster(Nodes nodes, int connections, Deadline deadline) {
        try {
            return new ClusterServers(nodes, connections, deadline);
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
        Optional<ConnectionProvider> provider = CallersClient.connections(client);
        if (provider.orElse(null) instanceof PooledConnectionProvider one) {
            Pool<Connection> pool = one.getPool();
            return new SingleServer(() -> new CallersNode(UNKNOWN, pool), size(pool));
        } else if (provider.orElse(null) instanceof SentineledConnectionProvider sentinels) {
            Supplier<CallersNode> master = CallersClient.master(sentinels);
            return new SingleServer(master::get, size(master.get().pool()));
        } else if (provider.orElse(null) instanceof ClusterConnectionProvider cluster) {
            return cluster(new CallersNodes(cluster), least(cluster.getNodes().values()), deadline);
        }
        throw new LockConfigurationException("locks need a client of one server, of sentinels or of a Cluster, not a "
                + client.getClass().getName() + " on "
                + provider.map(one -> one.getClass().getName()).orElse("connections of its own"));
    }

    /** How the servers of a client belong together. */
    public static Topology topology(UnifiedJedis client) {
        ConnectionProvider provider = CallersClient.connections(client).orElse(null);
        if (provider instanceof ClusterConnectionProvider) {
            return Topology.CLUSTER;
        }
        return provider instanceof SentineledConnectionProvider ? Topology.SENTINEL : Topology.STANDALONE;
    }

    private static int least(Collection<? extends Pool<Connection>> pools) {
        return pools.stream().mapToInt(Opening::size).min().orElse(2);
    }

    /** Two at least: one listens as long as anybody waits. A negative size is none. */
    private static int size(Pool<Connection> pool) {
        if (pool.getMaxTotal() == 1) {
            throw new LockConfigurationException(
                    "the application's client has one connection; locks need a pool of two at least, as one listens while"
                            + " somebody waits");
        }
        return pool.getMaxTotal() < 0 ? Integer.MAX_VALUE : pool.getMaxTotal();
    }
}
