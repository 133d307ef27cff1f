package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.LockConfigurationException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * Where the application's client has its connections from. The classes of clients are others in each version of the client
 * library; what they are made of is the same in all, and in a field that only subclasses see.
 */
final class CallersClient {

    private CallersClient() {}

    /** Empty if it has none of its own. */
    static Optional<ConnectionProvider> connections(UnifiedJedis client) {
        return Optional.ofNullable((ConnectionProvider)
                field(UnifiedJedis.class, "provider", ConnectionProvider.class).get(client));
    }

    /** The master of the moment. Not all versions show its pool. */
    static Supplier<CallersNode> master(SentineledConnectionProvider client) {
        if (shows(client)) {
            return () -> {
                Map.Entry<?, ?> master = client.getPrimaryNodesConnectionMap()
                        .entrySet()
                        .iterator()
                        .next();
                return new CallersNode((HostAndPort) master.getKey(), pool(master.getValue()));
            };
        }
        VarHandle field = field(SentineledConnectionProvider.class, "pool", ConnectionPool.class);
        return () -> new CallersNode(client.getCurrentMaster(), (ConnectionPool) field.getVolatile(client));
    }

    /** Where it is inherited, it takes a connection from the pool. */
    private static boolean shows(SentineledConnectionProvider client) {
        try {
            return client.getClass().getMethod("getPrimaryNodesConnectionMap").getDeclaringClass()
                    != ConnectionProvider.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    @SuppressWarnings("unchecked") // which is what all versions say that have it
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
