package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** The application's pool, whatever its class, gets back every connection that was borrowed from it. */
class ApplicationConnectionsTest {

    private static final HostAndPort SERVER =
            new HostAndPort("127.0.0.1", RedisServer.shared().port());

    /** A pool that fails to take connections back and to clear itself. */
    private static final class Peculiar extends ConnectionPool {
        Peculiar() {
            super(SERVER, RedisServer.shared().clientConfig());
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
    void brokenConnection_whenPoolCannotBeCleared_isReturned() {
        try (ConnectionPool pool = new Peculiar()) {
            BorrowedConnection borrowed = new ApplicationConnections(any -> pool).borrow(SERVER, inAMinute());

            borrowed.discard();
            borrowed.close();

            Await.until("none is taken any more", () -> pool.getNumActive() == 0);
        }
    }

    @Test
    void connection_thatPoolDoesNotTakeBack_isEnded() {
        try (ConnectionPool pool = new Peculiar()) {
            BorrowedConnection borrowed = new ApplicationConnections(any -> pool).borrow(SERVER, inAMinute());
            assertThat(borrowed.connection().ping()).isTrue();

            borrowed.close();

            Await.until("none is taken any more", () -> pool.getNumActive() == 0);
        }
    }

    private static Deadline inAMinute() {
        return Deadline.in(Duration.ofMinutes(1));
    }
}
