package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** A connection of a pool, for a moment. Closing it gives it back as it was. */
final class Borrowed implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Borrowed.class);

    private final Pool<Connection> pool;
    private final Connection connection;
    private final int timeoutMillis;

    private Borrowed(Pool<Connection> pool, Connection connection) {
        this.pool = pool;
        this.connection = connection;
        this.timeoutMillis = connection.getSoTimeout();
    }

    static Borrowed from(Pool<Connection> pool, Deadline deadline) {
        Duration patience = Duration.ofMillis(Math.max(1, deadline.millisLeft()));
        try {
            return new Borrowed(pool, pool.borrowObject(patience));
        } catch (NoSuchElementException e) {
            throw new JedisException(
                    "all " + pool.getMaxTotal() + " connections were in use for " + patience.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JedisException("interrupted while all connections were in use", e);
        } catch (IllegalStateException e) {
            throw new JedisConnectionException("these connections have been closed", e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new JedisConnectionException(e);
        }
    }

    Connection connection() {
        return connection;
    }

    /** Has it closed instead of given back, and with it all that idle beside it: they lead to the same server. */
    void giveUp() {
        connection.setBroken();
        pool.clear();
    }

    @Override
    public void close() {
        try {
            if (!connection.isBroken()) {
                connection.setSoTimeout(timeoutMillis);
            }
        } catch (JedisConnectionException e) {
            log.debug("a connection is gone that had just been used", e);
        }
        if (connection.isBroken()) {
            pool.returnBrokenResource(connection);
            pool.clear();
        } else {
            pool.returnResource(connection);
        }
    }
}
