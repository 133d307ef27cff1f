package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.redis.client.RedisUri.Topology;
import dev.holdfast.lock.spi.support.Deadline;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * The servers of the application's own client. Each version of Jedis has other client classes; all keep their connection
 * provider in a field of {@link UnifiedJedis} that only subclasses see.
 */
public final class ApplicationClient {

    /** The address shown for a client of one server, which does not reveal it. */
    private static final HostAndPort UNKNOWN = new HostAndPort("the application's server", 0);

    private ApplicationClient() {}

    /**
     * The client's servers. Closing them leaves the client open.
     *
     * @throws LockConfigurationException if the client is of a kind that hands out no connections
     * @throws JedisException if it is a client of a Cluster that does not answer by the deadline
     */
    public static RedisServers servers(UnifiedJedis client, Deadline deadline) {
        Optional<ConnectionProvider> provider = provider(client);
        if (provider.orElse(null) instanceof PooledConnectionProvider one) {
            Pool<Connection> pool = one.getPool();
            return new SingleServer(new ApplicationConnections(any -> pool), () -> UNKNOWN, () -> {}, size(pool));
        } else if (provider.orElse(null) instanceof SentineledConnectionProvider sentinels) {
            Supplier<Pool<Connection>> pool = primaryPool(sentinels);
            return new SingleServer(
                    new ApplicationConnections(any -> pool.get()),
                    sentinels::getCurrentMaster,
                    () -> {},
                    size(pool.get()));
        } else if (provider.orElse(null) instanceof ClusterConnectionProvider cluster) {
            int size = cluster.getNodes().values().stream()
                    .mapToInt(ApplicationClient::size)
                    .min()
                    .orElse(2);
            return new ClusterServers(new ApplicationConnections.OfCluster(cluster), size, deadline);
        }
        throw new LockConfigurationException("locks need a client of one server, of sentinels or of a Cluster, not a "
                + client.getClass().getName() + " on "
                + provider.map(one -> one.getClass().getName()).orElse("connections of its own"));
    }

    /** The topology of the client's servers. */
    public static Topology topology(UnifiedJedis client) {
        ConnectionProvider provider = provider(client).orElse(null);
        if (provider instanceof ClusterConnectionProvider) {
            return Topology.CLUSTER;
        }
        return provider instanceof SentineledConnectionProvider ? Topology.SENTINEL : Topology.STANDALONE;
    }

    /** At least two: one receives notifications while there are waiters. A negative size means unlimited. */
    private static int size(Pool<Connection> pool) {
        if (pool.getMaxTotal() == 1) {
            throw new LockConfigurationException(
                    "the application's client has a pool of one connection; locks need a pool of two at least, as one"
                            + " receives notifications while a lock is waited for");
        }
        return pool.getMaxTotal() < 0 ? Integer.MAX_VALUE : pool.getMaxTotal();
    }

    private static Optional<ConnectionProvider> provider(UnifiedJedis client) {
        return Optional.ofNullable((ConnectionProvider)
                field(UnifiedJedis.class, "provider", ConnectionProvider.class).get(client));
    }

    /** The pool of the current master, which not all versions of Jedis expose. */
    private static Supplier<Pool<Connection>> primaryPool(SentineledConnectionProvider client) {
        if (showsPool(client)) {
            return () -> pool(
                    client.getPrimaryNodesConnectionMap().values().iterator().next());
        }
        VarHandle field = field(SentineledConnectionProvider.class, "pool", ConnectionPool.class);
        return () -> (ConnectionPool) field.getVolatile(client);
    }

    /** The inherited method would take a connection from the pool. */
    private static boolean showsPool(SentineledConnectionProvider client) {
        try {
            return client.getClass().getMethod("getPrimaryNodesConnectionMap").getDeclaringClass()
                    != ConnectionProvider.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    @SuppressWarnings("unchecked") // true in all versions that expose it
    private static Pool<Connection> pool(Object pool) {
        return (Pool<Connection>) pool;
    }

    private static VarHandle field(Class<?> owner, String name, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new LockConfigurationException(
                    "this version of Jedis does not show the connections of the application's client: name the servers with"
                            + " lock.redis.uri instead",
                    e);
        }
    }
}
