package dev.holdfast.lock.redis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.tck.BreakableWay;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A way that can be broken leads to the server, and does the server no harm. */
class RedisWayTest {

    @Test
    void aWayThatIsCutLeadsNowhereUntilItIsHealed() {
        Properties direct = new Properties();
        direct.setProperty("lock.provider", "redis");
        direct.setProperty("lock.redis.uri", RedisServer.shared().uri());
        try (BreakableWay way = RedisWay.to(RedisServer.shared(), direct);
                RedisClient through = RedisClient.create(way.configuration().getProperty("lock.redis.uri"));
                RedisClient beside = RedisServer.shared().client()) {
            assertThat(way.configuration()).containsEntry("lock.provider", "redis");
            assertThat(through.ping()).isEqualTo("PONG");

            way.cut();

            assertThatThrownBy(through::ping).isInstanceOf(JedisConnectionException.class);
            assertThat(beside.ping()).isEqualTo("PONG");
            way.heal();
            Awaiting.until("the way is healed", () -> isOpen(through));
        }
    }

    private static boolean isOpen(RedisClient client) {
        try {
            return client.ping().equals("PONG");
        } catch (JedisConnectionException e) {
            return false;
        }
    }
}
