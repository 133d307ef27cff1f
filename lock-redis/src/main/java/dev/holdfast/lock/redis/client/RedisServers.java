package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.spi.support.Deadline;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** The servers of a store: one server, or the nodes of a Cluster that share the locks. Thread-safe. */
public interface RedisServers extends AutoCloseable {

    /**
     * Connects with the store's own connections.
     *
     * @throws LockConfigurationException if there are sentinels that do not know the master
     * @throws JedisException if the servers cannot be reached, or refuse the user
     */
    static RedisServers open(RedisUri uri, ConnectionSettings settings) {
        OwnConnections connections = new OwnConnections(uri.hosts(), settings.ofServers(uri), settings.poolSize());
        return switch (uri.topology()) {
            case STANDALONE -> {
                HostAndPort server = uri.hosts().iterator().next();
                yield new SingleServer(connections, () -> server, () -> {}, settings.poolSize());
            }
            case SENTINEL -> {
                SentinelResolver resolver = new SentinelResolver(uri, settings, connections);
                yield new SingleServer(connections, resolver::primary, resolver::refresh, settings.poolSize()) {
                    @Override
                    public void close() {
                        resolver.close();
                        super.close();
                    }
                };
            }
            case CLUSTER -> new ClusterServers(connections, settings.poolSize(), Deadline.in(settings.timeout()));
        };
    }

    /** The number of shards of a namespace; each shard is on one server. */
    int shards();

    /** The maximum number of concurrent calls to one server. */
    int connections();

    /**
     * Makes these calls, those with the same keys in order. Returns for each its reply, or the {@link JedisException}
     * that explains why there is none.
     *
     * @throws JedisException if no call is known to have been executed
     */
    List<Object> call(List<ScriptCall> calls, Deadline deadline);

    /**
     * A connection that receives every notification. Closing it ends it.
     *
     * @throws JedisException if there is none by the deadline
     */
    BorrowedConnection openSubscriber(Deadline deadline);

    /**
     * Asks each server that grants locks, and returns the answers by the servers' addresses.
     *
     * @param deadline for the first answer; each of the others may take as long
     * @throws JedisException if a server does not answer
     */
    <T> Map<String, T> askEach(Question<T> question, Deadline deadline);

    /**
     * Asks a replica, which grants no locks.
     *
     * @throws JedisException if it does not answer by the deadline, or the connections are those of the application
     */
    <T> T askReplica(HostAndPort replica, Question<T> question, Deadline deadline);

    /** A question to one server. */
    @FunctionalInterface
    interface Question<T> {
        /** Sends and reads on this connection, whose timeout is set. */
        T ask(Connection connection);
    }

    /** Closes the store's own connections, and leaves the application's client open. */
    @Override
    void close();
}
