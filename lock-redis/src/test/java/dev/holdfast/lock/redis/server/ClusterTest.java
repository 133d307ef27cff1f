package dev.holdfast.lock.redis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A cluster for tests moves slots and fails over as a real one does. */
class ClusterTest {

    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = Cluster.start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) { // else there is no cluster to be had
            cluster.close();
        }
    }

    @Test
    void aMigratedSlotIsServedByItsNewMasterWithItsKeys() {
        try (RedisClusterClient client = client()) {
            client.set("migrated", "yes");
            int slot = JedisClusterCRC16.getSlot("migrated");
            RedisServer from = cluster.owner(slot);
            RedisServer to = other(from);

            cluster.migrate(slot, from, to);

            assertThat(cluster.owner(slot)).isSameAs(to);
            assertThat(client.get("migrated")).isEqualTo("yes");
        }
    }

    @Test
    void aSlotOnItsWaySendsClientsToTheNewMaster() {
        try (RedisClusterClient client = client()) {
            client.set("moving", "yes");
            int slot = JedisClusterCRC16.getSlot("moving");
            RedisServer from = cluster.owner(slot);
            RedisServer to = other(from);

            Migration migration = cluster.beginMigration(slot, from, to);
            migration.moveKeys();

            try (RedisClient direct = from.client()) {
                assertThatThrownBy(() -> direct.get("moving")).isInstanceOf(JedisAskDataException.class);
            }
            assertThat(client.get("moving")).isEqualTo("yes");
            migration.finish();
            assertThat(cluster.owner(slot)).isSameAs(to);
        }
    }

    @Test
    void aReplicaTakesOverFromAKilledMasterThatReturnsAsAReplica() {
        try (RedisClusterClient client = client()) {
            client.set("kept", "yes");
            RedisServer first = cluster.owner(JedisClusterCRC16.getSlot("kept"));
            try (RedisClient direct = first.client()) {
                assertThat(direct.waitReplicas("kept", 1, 60_000)).isEqualTo(1);
            }

            RedisServer second = cluster.failOver(first);

            try (RedisClient direct = second.client()) {
                assertThat(direct.get("kept")).isEqualTo("yes");
            }
            first.start();
            cluster.awaitOk();
            assertThat(cluster.masters()).hasSize(3).contains(second);
            assertThat(cluster.replicas()).hasSize(3).contains(first);
        }
    }

    private static RedisServer other(RedisServer master) {
        return cluster.masters().stream()
                .filter(each -> each != master)
                .findFirst()
                .orElseThrow();
    }

    private static RedisClusterClient client() {
        return RedisClusterClient.builder()
                .nodes(Arrays.stream(cluster.uri().split("://", -1)[1].split(",", -1))
                        .map(HostAndPort::from)
                        .collect(Collectors.toSet()))
                .build();
    }
}
