package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** A server to which the connections are the application's: each is given back with the timeout that it had. */
record CallersNode(HostAndPort address, Pool<Connection> pool) implements Node {

    private static final Logger log = LoggerFactory.getLogger(CallersNode.class);

    @Override
    public Borrowed borrow(Deadline deadline) {
        Connection connection = get(deadline);
        int timeout = connection.getSoTimeout();
        return new Borrowed(connection, back -> {
            if (isAsItWas(back, timeout)) {
                pool.returnResource(back);
            } else {
                discard(back, pool::clear); // what idles leads to the same server
            }
        });
    }

    @Override
    public Borrowed dedicated(Deadline deadline) {
        return new Borrowed(get(deadline), back -> discard(back, () -> {}));
    }

    private Connection get(Deadline deadline) {
        Duration patience = Duration.ofMillis(Math.max(1, deadline.millisLeft()));
        try {
            return pool.borrowObject(patience);
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

    private static boolean isAsItWas(Connection connection, int timeout) {
        try {
            if (!connection.isBroken()) {
                connection.setSoTimeout(timeout);
            }
        } catch (JedisException e) {
            log.debug("a connection is gone that had just been used", e);
        }
        return !connection.isBroken();
    }

    /**
     * On a thread of its own, as the pool makes a new connection in the place of a broken one, which takes as long as the
     * server lets it wait.
     */
    private void discard(Connection connection, Runnable first) {
        Thread thread = new Thread(
                () -> {
                    try {
                        connection.setBroken();
                        first.run();
                        pool.returnBrokenResource(connection);
                    } catch (RuntimeException e) {
                        log.debug("a broken connection could not be replaced", e);
                    }
                },
                "holdfast-redis-discard");
        thread.setDaemon(true);
        thread.start();
    }
}
