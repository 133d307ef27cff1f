package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** The application's pool, which may be one of a class of its own, gets back every connection that was taken from it. */
class CallersNodeTest {

    private static final HostAndPort SERVER =
            new HostAndPort("127.0.0.1", RedisServer.shared().port());

    /** One that fails in whatever is not asked for by everybody. */
    private static final class Peculiar extends ConnectionPool {
        Peculiar() {
            super(SERVER, DefaultJedisClientConfig.builder().build());
        }

        @Override
        public void clear() {
            if (!isClosed()) {
                throw new IllegalStateException("it is not to be cleared");
            }
            super.clear();
        }

        @Override
        public void returnResource(Connection connection) {
            throw new JedisException("it is not to be given back");
        }
    }

    @Test
    void aBrokenOneIsGivenBackAlsoWhereThoseThatIdleCannotBeEnded() {
        try (ConnectionPool pool = new Peculiar()) {
            Borrowed borrowed = new CallersNode(SERVER, pool).borrow(inAMinute());

            borrowed.giveUp();
            borrowed.close();

            Await.until("none is taken any more", () -> pool.getNumActive() == 0);
        }
    }

    @Test
    void oneThatThePoolDoesNotTakeBackIsEnded() {
        try (ConnectionPool pool = new Peculiar()) {
            Borrowed borrowed = new CallersNode(SERVER, pool).borrow(inAMinute());
            assertThat(borrowed.connection().ping()).isTrue();

            borrowed.close();

            Await.until("none is taken any more", () -> pool.getNumActive() == 0);
        }
    }

    private static Deadline inAMinute() {
        return Deadline.in(Duration.ofMinutes(1));
    }
}
