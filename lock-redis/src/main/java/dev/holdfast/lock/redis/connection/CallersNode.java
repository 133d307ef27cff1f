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
            if (!isGivenBack(back, timeout)) {
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

    private boolean isGivenBack(Connection connection, int timeout) {
        try {
            if (!connection.isBroken()) {
                connection.setSoTimeout(timeout);
                pool.returnResource(connection);
                return true;
            }
        } catch (RuntimeException e) {
            log.debug("a connection is gone that had just been used, or was not taken back", e);
        }
        return false;
    }

    /**
     * On a thread of its own, as the pool makes a new connection in the place of a broken one, which takes as long as the
     * server lets it wait. Where there is no thread to be had, that is better than one connection less for ever.
     *
     * @param first what is worth trying before
     */
    private void discard(Connection connection, Runnable first) {
        connection.setBroken();
        Runnable discarding = () -> {
            tryTo(first);
            tryTo(() -> pool.returnBrokenResource(connection));
        };
        try {
            Thread thread = new Thread(discarding, "holdfast-redis-discard");
            thread.setDaemon(true);
            thread.start();
        } catch (OutOfMemoryError e) {
            discarding.run();
        }
    }

    private static void tryTo(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException e) {
            log.debug("a broken connection could not be replaced", e);
        }
    }
}
