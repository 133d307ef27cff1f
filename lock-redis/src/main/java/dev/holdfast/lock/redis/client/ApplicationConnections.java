package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.util.Pool;

/** Connections of the application's own client. Each is returned to its pool with its original timeout. */
class ApplicationConnections implements ConnectionSource {

    private static final Logger log = LoggerFactory.getLogger(ApplicationConnections.class);

    private final Function<HostAndPort, Pool<Connection>> pools;

    /** @param pools the client's pool for a server */
    ApplicationConnections(Function<HostAndPort, Pool<Connection>> pools) {
        this.pools = pools;
    }

    /** The connections to the nodes that a Cluster client knows. */
    static final class OfCluster extends ApplicationConnections {

        private final ClusterConnectionProvider client;

        OfCluster(ClusterConnectionProvider client) {
            super(node -> {
                ConnectionPool pool = client.getNodes().get(node.toString());
                if (pool == null) {
                    throw new JedisConnectionException(
                            "the application's client does not know the node " + node + " yet");
                }
                return pool;
            });
            this.client = client;
        }

        @Override
        public Collection<HostAndPort> known() {
            return client.getNodes().keySet().stream().map(HostAndPort::from).toList();
        }

        /** Has the client refresh its nodes if it does not know all of these. */
        @Override
        public void retain(Collection<HostAndPort> servers) {
            if (!client.getNodes()
                    .keySet()
                    .containsAll(servers.stream().map(HostAndPort::toString).toList())) {
                client.renewSlotCache();
            }
        }
    }

    @Override
    public BorrowedConnection borrow(HostAndPort server, Deadline deadline) {
        Pool<Connection> pool = pools.apply(server);
        Connection connection = borrow(pool, deadline);
        int timeout = connection.getSoTimeout();
        return new BorrowedConnection(connection, returned -> {
            if (!tryReturn(pool, returned, timeout)) {
                discard(pool, returned, pool::clear); // the idle ones lead to the same server
            }
        });
    }

    @Override
    public BorrowedConnection openDedicated(HostAndPort server, Deadline deadline) {
        Pool<Connection> pool = pools.apply(server);
        return new BorrowedConnection(borrow(pool, deadline), returned -> discard(pool, returned, () -> {}));
    }

    private static Connection borrow(Pool<Connection> pool, Deadline deadline) {
        Duration timeout = Duration.ofMillis(Math.max(1, deadline.millisLeft()));
        try {
            return pool.borrowObject(timeout);
        } catch (NoSuchElementException e) {
            throw new JedisException(
                    "all " + pool.getMaxTotal() + " connections were in use for " + timeout.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JedisException("interrupted while all connections were in use", e);
        } catch (IllegalStateException e) {
            throw new JedisConnectionException("the connections of the application's client were closed", e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new JedisConnectionException(e);
        }
    }

    private static boolean tryReturn(Pool<Connection> pool, Connection connection, int timeout) {
        try {
            if (!connection.isBroken()) {
                connection.setSoTimeout(timeout);
                pool.returnResource(connection);
                return true;
            }
        } catch (RuntimeException e) {
            log.debug("a connection broke after its use, or its pool did not take it back", e);
        }
        return false;
    }

    /**
     * Discards a connection on another thread, as the pool may open a replacement, which takes as long as the server lets it. If
     * no thread can be started, the caller waits: otherwise the pool would be one connection short for ever.
     *
     * @param first runs before, and may fail
     */
    private static void discard(Pool<Connection> pool, Connection connection, Runnable first) {
        connection.setBroken();
        Runnable discarding = () -> {
            attempt(first);
            attempt(() -> pool.returnBrokenResource(connection));
        };
        try {
            DaemonThreadFactory.unstarted("holdfast-redis-discard", discarding).start();
        } catch (OutOfMemoryError e) {
            discarding.run();
        }
    }

    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.debug("a broken connection could not be replaced", e);
        }
    }

    @Override
    public Collection<HostAndPort> known() {
        return List.of();
    }

    /** Closes none: the client manages its connections. */
    @Override
    public void retain(Collection<HostAndPort> servers) {}

    /** Leaves the application's client open. */
    @Override
    public void close() {}
}
