package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
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
 * A server to which the connections are our own. A pool of its own: whoever has a deadline gets a new connection by then or
 * not at all, and what is broken is closed by nobody who waits. One that is broken takes those with it that idle, as they lead
 * to the same server.
 */
final class OwnNode implements Node, AutoCloseable {

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final HostAndPort address;
    private final JedisClientConfig config;
    private final int size;
    private final Semaphore free;
    private final Deque<Idle> idle = new ConcurrentLinkedDeque<>();
    private final Set<Connection> dedicated = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param size how many connections may be borrowed at a time */
    OwnNode(HostAndPort address, JedisClientConfig config, int size) {
        this.address = address;
        this.config = config;
        this.size = size;
        this.free = new Semaphore(size, true);
    }

    @Override
    public HostAndPort address() {
        return address;
    }

    @Override
    public Borrowed borrow(Deadline deadline) {
        awaitFree(deadline);
        try {
            Connection connection = fresh();
            return new Borrowed(connection == null ? connect(deadline) : connection, this::takeBack);
        } catch (RuntimeException | Error e) {
            free.release();
            throw e;
        }
    }

    /** One that was used lately: of the others, something in between may have forgotten, and told nobody. */
    private @Nullable Connection fresh() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            if (System.nanoTime() - each.since() < FRESH_NANOS) {
                return each.connection();
            }
            Borrowed.end(each.connection());
        }
        return null;
    }

    private record Idle(Connection connection, long since) {}

    private void awaitFree(Deadline deadline) {
        try {
            if (free.tryAcquire() || free.tryAcquire(deadline.millisLeft(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JedisException(
                    "interrupted while all " + size + " connections to " + address + " were in use", e);
        }
        throw new JedisException("all " + size + " connections to " + address + " were in use");
    }

    @Override
    public Borrowed dedicated(Deadline deadline) {
        Connection connection = connect(deadline);
        dedicated.add(connection);
        if (closed) {
            Borrowed.end(connection);
        }
        return new Borrowed(connection, back -> {
            dedicated.remove(back);
            Borrowed.end(back);
        });
    }

    private Connection connect(Deadline deadline) {
        if (closed) {
            throw new JedisConnectionException("the connections to " + address + " have been closed");
        }
        int millis = Math.max(1, Math.min(config.getConnectionTimeoutMillis(), deadline.millisLeft()));
        return new Connection(
                address,
                DefaultJedisClientConfig.builder()
                        .from(config)
                        .connectionTimeoutMillis(millis)
                        .socketTimeoutMillis(millis)
                        .build());
    }

    private void takeBack(Connection connection) {
        try {
            if (connection.isBroken() || closed) {
                Borrowed.end(connection);
                endIdle();
            } else {
                idle.addFirst(new Idle(connection, System.nanoTime()));
                if (closed) {
                    endIdle();
                }
            }
        } finally {
            free.release();
        }
    }

    private void endIdle() {
        for (Idle each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            Borrowed.end(each.connection());
        }
    }

    @Override
    public void close() {
        closed = true;
        endIdle();
        dedicated.forEach(Borrowed::end); // whoever listens is to listen elsewhere
    }
}
