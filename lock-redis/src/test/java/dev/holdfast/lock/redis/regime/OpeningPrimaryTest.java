package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.Opened;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.Answer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** What cannot be a composite's primary, and what may be one later. */
class OpeningPrimaryTest {

    private static AbstractThrowableAssert<?, ?> opening(String uri) {
        return assertThatThrownBy(() -> Opened.primary(uri).close());
    }

    @Test
    void aClusterIsNoneYet() {
        opening("redis-cluster://127.0.0.1:1")
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.uri")
                .hasMessageContaining("standalone or Sentinel");
        try (RedisServer node = RedisServer.own("cluster-enabled yes")) {
            opening(node.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("standalone or Sentinel");
        }
    }

    @Test
    void whatIsOutOfReachOrAReplicaMayBeOneLater() {
        try (RedisServer server = RedisServer.own()) {
            try (RedisClient admin = server.client()) {
                Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            }
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("replica");

            server.kill();
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining(server.uri());

            server.start();
            Opened.primary(server.uri()).close();
        }
    }

    @Test
    void whoIsNotLetInHasAWrongSetting() {
        try (RedisServer server = RedisServer.own("requirepass secret")) {
            opening("redis://:secret-not@127.0.0.1:" + server.port())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("WRONGPASS");
        }
    }

    @Test
    void theRightsThatLocksNeedAreEnoughAndWhatLacksIsNamed() {
        String rights = "resetchannels ~holdfast:* &holdfast:* +eval +evalsha +script|load"
                + " +info +ping +subscribe +scan +time +get +mget +set +del +pttl +pexpire +publish"
                + " +zadd +zcard +zmscore +zrange +zrangebyscore +zrank +zrem +zscore +hget +hmget +hset +hdel";
        try (RedisServer server = RedisServer.own("user app on >secret " + rights);
                RedisClient admin = server.client()) {
            String uri = server.uri().replace("://", "://app:secret@");
            try (Crown crown = Crown.of(uri, 2)) {
                crown.answered(Steps.acquire("job", Steps.id()), Answer.Granted.class);
                crown.answered(Steps.queue("job", Steps.id()), Answer.Waiting.class);
                assertThat(crown.store().inspect(crown.reign(), "", Steps.CALL)).hasSize(1);
            }
            Administrator.order(admin, "ACL", "SETUSER", "app", "-info", "-time");
            opening(uri)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageEndingWith("ACL SETUSER app +info +time");
        }
    }
}
