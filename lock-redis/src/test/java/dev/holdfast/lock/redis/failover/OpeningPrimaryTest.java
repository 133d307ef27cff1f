package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockReply;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** Servers that cannot be a composite's primary, now or ever. */
class OpeningPrimaryTest {

    private static AbstractThrowableAssert<?, ?> opening(String uri) {
        return assertThatThrownBy(() -> TestStores.primary(uri).close());
    }

    @Test
    void openPrimary_onCluster_isRefused() {
        opening("redis-cluster://127.0.0.1:1")
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.uri")
                .hasMessageContaining("standalone server or Sentinel");
        try (RedisServer node = RedisServer.own("cluster-enabled yes")) {
            opening(node.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("standalone server or Sentinel");
        }
    }

    @Test
    void openPrimary_onUnreachableServerOrReplica_isUnavailable() {
        try (RedisServer server = RedisServer.own()) {
            try (RedisClient admin = server.client()) {
                Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            }
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("replica");

            server.kill();
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining(server.uri());

            server.start();
            TestStores.primary(server.uri()).close();
        }
    }

    @Test
    void openPrimary_withWrongCredentials_isConfigurationError() {
        try (RedisServer server = RedisServer.own("requirepass secret")) {
            opening("redis://:secret-not@127.0.0.1:" + server.port())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("WRONGPASS");
        }
    }

    @Test
    void openPrimary_withDocumentedRights_succeedsAndNamesMissingOnes() {
        String rights = "resetchannels ~holdfast:* &holdfast:* +eval +evalsha +script|load"
                + " +info +ping +subscribe +scan +time +get +mget +set +del +pttl +pexpire +pexpireat +publish"
                + " +zadd +zcard +zmscore +zrange +zrangebyscore +zrank +zrem +zscore +hget +hmget +hset +hdel";
        try (RedisServer server = RedisServer.own("user app on >secret " + rights);
                RedisClient admin = server.client()) {
            String uri = server.uri().replace("://", "://app:secret@");
            try (PrimaryTermFixture term = PrimaryTermFixture.of(uri, 2)) {
                term.answered(TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class);
                term.answered(TestCommands.queue("job", TestCommands.id()), LockReply.Queued.class);
                assertThat(term.store().list(term.term(), "", TestCommands.CALL))
                        .hasSize(1);
            }
            Administrator.order(admin, "ACL", "SETUSER", "app", "-info", "-time");
            for (String lacking : new String[] {"+info", "+time"}) {
                opening(uri)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("ACL SETUSER app " + lacking + ";");
                Administrator.order(admin, "ACL", "SETUSER", "app", lacking);
            }
        }
    }
}
