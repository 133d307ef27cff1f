package dev.holdfast.lock.redis.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisSentinelClient;

/** Sentinels for tests fail over as real ones do. */
class SentinelsTest {

    @Test
    void aReplicaTakesOverFromAKilledMasterAndAllAreWholeAgainAfterItsReturn() throws Exception {
        Sentinels.steadily((sentinels, pulse) -> {
            RedisServer first = sentinels.master();
            assertThat(sentinels.replicas()).hasSize(2).doesNotContain(first);
            try (RedisClient client = first.client()) {
                client.set("kept", "yes");
                assertThat(client.waitReplicas("kept", 2, 60_000)).isEqualTo(2);
            }

            RedisServer second = sentinels.failOver();

            assertThat(second).isNotSameAs(first);
            assertThat(sentinels.master()).isSameAs(second);
            try (RedisClient client = second.client()) {
                assertThat(client.get("kept")).isEqualTo("yes");
                client.set("kept", "still");
            }
            first.start();
            sentinels.awaitWhole();
            assertThat(sentinels.replicas()).contains(first);
        });
    }

    @Test
    void clientsFindTheMasterByTheUri() {
        try (Sentinels sentinels = Sentinels.start();
                RedisSentinelClient client = RedisSentinelClient.builder()
                        .masterName(sentinels.uri().replaceFirst(".*/", ""))
                        .sentinels(Set.of(HostAndPort.from(
                                sentinels.uri().split("://", -1)[1].split(",", -1)[0])))
                        .build()) {
            assertThat(client.getCurrentMaster().getPort())
                    .isEqualTo(sentinels.master().port());
        }
    }
}
