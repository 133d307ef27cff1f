package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.support.Deadline;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The connections to one server, opened within the deadline of the call that needs one. A broken connection takes the idle ones
 * with it, as they lead to the same server.
 *
 * <p>Jedis's own pool is not used: it opens a connection with the timeouts of its configuration instead of the deadline of the
 * call, and makes the thread that returns a broken connection open the next one for a waiting caller.
 */
final class DeadlinePool implements AutoCloseable {

    /** A firewall or router may have forgotten a connection that was idle for longer. */
    private static final long MAX_IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final HostAndPort server;
    private final JedisClientConfig config;
    private final int size;
    private final Semaphore permits;
    private final Deque<Idle> idle = new ConcurrentLinkedDeque<>();
    private final Set<Connection> dedicated = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param size the maximum number of borrowed connections */
    DeadlinePool(HostAndPort server, JedisClientConfig config, int size) {
        this.server = server;
        this.config = config;
        this.size = size;
        this.permits = new Semaphore(size, true);
    }

    private record Idle(Connection connection, long since) {}

    /** @throws JedisException if there is no connection by the deadline */
    BorrowedConnection borrow(Deadline deadline) {
        acquirePermit(deadline);
        try {
            Connection connection = pollIdle();
            return new BorrowedConnection(connection == null ? connect(deadline) : connection, this::takeBack);
        } catch (RuntimeException | Error e) {
            permits.release();
            throw e;
        }
    }

    private void acquirePermit(Deadline deadline) {
        try {
            if (permits.tryAcquire() || permits.tryAcquire(deadline.millisLeft(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JedisException("interrupted while all " + size + " connections to " + server + " were in use", e);
        }
        throw new JedisException("all " + size + " connections to " + server + " were in use");
    }

    private @Nullable Connection pollIdle() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            if (System.nanoTime() - each.since() < MAX_IDLE_NANOS) {
                return each.connection();
            }
            BorrowedConnection.disconnect(each.connection());
        }
        return null;
    }

    /** @throws JedisException if there is no connection by the deadline */
    BorrowedConnection openDedicated(Deadline deadline) {
        Connection connection = connect(deadline);
        dedicated.add(connection);
        if (closed) {
            BorrowedConnection.disconnect(connection);
        }
        return new BorrowedConnection(connection, returned -> {
            dedicated.remove(returned);
            BorrowedConnection.disconnect(returned);
        });
    }

    private Connection connect(Deadline deadline) {
        if (closed) {
            throw new JedisConnectionException("the connections to " + server + " were closed");
        }
        int millis = Math.max(1, Math.min(config.getConnectionTimeoutMillis(), deadline.millisLeft()));
        try {
            return new Connection(
                    server,
                    DefaultJedisClientConfig.builder()
                            .from(config)
                            .connectionTimeoutMillis(millis)
                            .socketTimeoutMillis(millis)
                            .build());
        } catch (JedisConnectionException e) {
            throw new HandshakeException(e);
        }
    }

    private void takeBack(Connection connection) {
        try {
            if (connection.isBroken() || closed) {
                BorrowedConnection.disconnect(connection);
                disconnectIdle();
            } else {
                idle.addFirst(new Idle(connection, System.nanoTime()));
                if (closed) {
                    disconnectIdle();
                }
            }
        } finally {
            permits.release();
        }
    }

    private void disconnectIdle() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            BorrowedConnection.disconnect(each.connection());
        }
    }

    /** Ends the idle and the dedicated connections at once, and the borrowed ones when they are returned. */
    @Override
    public void close() {
        closed = true;
        disconnectIdle();
        dedicated.forEach(BorrowedConnection::disconnect);
    }
}
