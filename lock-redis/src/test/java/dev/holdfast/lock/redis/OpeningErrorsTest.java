package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.OpeningAssertions.opening;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.FakeRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** Opening a store on servers that do not meet the requirements, and the error messages. */
class OpeningErrorsTest {

    @Test
    void open_withWrongCredentials_isConfigurationError() {
        try (RedisServer server = RedisServer.own("requirepass secret")) {
            String at = "@127.0.0.1:" + server.port();
            for (String kind : new String[] {"redis", "redis-cluster"}) {
                opening(kind + "://:secret-not" + at)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("WRONGPASS")
                        .satisfies(OpeningAssertions::keepsQuiet);
                opening(kind + "://nobody:secret" + at)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("WRONGPASS");
                opening(kind + "://127.0.0.1:" + server.port())
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("NOAUTH");
            }
            opening(server.uri(), "lock.redis.password", "secret-not")
                    .isInstanceOf(LockConfigurationException.class)
                    .satisfies(OpeningAssertions::keepsQuiet);
            opening("redis://:secret" + at, "lock.redis.password", "secret")
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("lock.redis.password")
                    .satisfies(OpeningAssertions::keepsQuiet);
            try (var store = TestStores.store(server.uri(), "lock.redis.password", "secret")) {
                assertThat(store.diagnose(Duration.ofMinutes(1))).isNotEmpty();
            }
        }
    }

    @Test
    void open_withWrongCredentials_saysWhereTheyAreSetAndNotWhatTheyAre() {
        try (RedisServer server = RedisServer.own("requirepass secret")) {
            Properties settings = TestStores.settings("redis://127.0.0.1:" + server.port());
            settings.setProperty("lock.redis.password", "secret-not");

            assertThatThrownBy(() -> Locks.open(settings).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("it does not accept the user or the password")
                    .hasMessageEndingWith("; see lock.redis.uri, lock.redis.password")
                    .satisfies(OpeningAssertions::keepsQuiet);
        }
        opening("redis://127.0.0.1:1").hasMessageEndingWith("; see lock.redis.uri (test)");
    }

    /** If only one side spoke TLS, it would not have come so far. */
    @ParameterizedTest
    @CsvSource({"redis, INFO", "redis, PING", "redis-cluster, CLUSTER"})
    void open_whenTheServerHangsUpAfterAnAnswer_doesNotAdviseOnTls(String kind, String last) {
        String info = "redis_version:7.2.0\r\nredis_mode:standalone\r\nrole:master\r\n";
        Map<String, String> answers =
                Map.of("HELLO", FakeRedis.WELCOME, "INFO", "$" + info.length() + "\r\n" + info + "\r\n");
        try (FakeRedis server =
                new FakeRedis(() -> {}, word -> word.equals(last) ? null : answers.getOrDefault(word, ""))) {
            opening(kind + "://127.0.0.1:" + server.port())
                    .isInstanceOf(LockUnavailableException.class)
                    .message()
                    .startsWith("cannot open " + kind + "://")
                    .doesNotContain("TLS");
        }
    }

    @Test
    void open_oldServer_isRefusedWithItsVersion() {
        try (FakeServer old = new FakeServer("redis_version:6.0.16", "redis_mode:standalone", "role:master")) {
            opening(old.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining(old.uri())
                    .hasMessageContaining("Redis 6.0.16")
                    .hasMessageContaining("6.2");
        }
    }

    @Test
    void open_replica_isRefused() {
        try (RedisServer master = RedisServer.own();
                RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + master.port())) {
            opening(replica.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("is a replica, not a master")
                    .hasMessageContaining("redis-sentinel://");
        }
    }

    @Test
    void open_standaloneServerAsClusterOrSentinel_isRefused() {
        opening("redis-cluster://127.0.0.1:" + RedisServer.shared().port())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("redis:// is for a single server");
        opening("redis-sentinel://127.0.0.1:" + RedisServer.shared().port() + "/main")
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("SENTINEL");
    }

    @Test
    void open_clusterNodeAsStandalone_isRefused() {
        try (RedisServer node = RedisServer.own("cluster-enabled yes")) {
            opening(node.uri()).isInstanceOf(LockConfigurationException.class).hasMessageContaining("redis-cluster://");
        }
    }

    /** In Valkey's words, which no server of this build speaks. */
    @Test
    void open_valkeyNodeOrSentinelAsStandalone_isRefused() {
        String[] node = {"redis_version:7.2.4", "server_name:valkey", "valkey_version:9.1.2", "", "role:master"};
        node[3] = "server_mode:cluster";
        try (FakeServer valkey = new FakeServer(node)) {
            opening(valkey.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("Valkey 9.1.2")
                    .hasMessageContaining("redis-cluster://");
        }
        node[3] = "server_mode:sentinel";
        try (FakeServer valkey = new FakeServer(node)) {
            opening(valkey.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("redis-sentinel://");
        }
    }

    @Test
    void open_sentinelsWithoutTheMaster_isRefused() {
        Sentinels sentinels = Sentinels.shared();
        opening(sentinels.uri().replace("/main", "/other"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("know no master 'other'");
        opening("redis://127.0.0.1:" + sentinels.sentinels().get(0).port())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("is a sentinel")
                .hasMessageContaining("redis-sentinel://");
        TestStores.store(sentinels.uri()).close();
    }

    @Test
    void open_serverThatTakesNoWrites_isUnavailable() {
        try (RedisServer server = RedisServer.own("min-replicas-to-write 1");
                RedisClient client = server.client()) {
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("NOREPLICAS");
            client.configSet("min-replicas-to-write", "0");
            client.configSet("maxmemory", "1");
            opening(server.uri())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("its memory is full")
                    .hasMessageContaining("(OOM ");
            client.configSet("maxmemory", "0");
            TestStores.store(server.uri()).close();
        }
    }

    @Test
    void open_whenRefused_closesItsConnections() {
        try (RedisServer server = RedisServer.own("min-replicas-to-write 1");
                RedisClient client = server.client()) {
            Await.until("those that waited for its start are closed", () -> connections(client) == 1);
            opening(server.uri()).hasMessageContaining("NOREPLICAS");
            Await.until("the connections are closed", () -> connections(client) == 1);
        }
        Cluster cluster = Cluster.shared();
        for (RedisServer each : cluster.masters()) {
            try (RedisClient client = each.client()) {
                Administrator.order(
                        client, "ACL", "SETUSER", "left-out", "on", ">secret", "~*", "&*", "+@all", "-zadd");
            }
        }
        opening(cluster.uri().replace("://", "://left-out:secret@")).hasMessageContaining("zadd");
        for (RedisServer each : cluster.masters()) {
            try (RedisClient client = each.client()) {
                Await.until(
                        "the connections are closed",
                        () -> Administrator.clients(client).noneMatch(line -> line.contains(" user=left-out ")));
            }
        }
    }

    /** Those of replicas do not count. */
    private static long connections(RedisClient client) {
        String info = client.executeCommand(
                new CommandObject<>(new CommandArguments(Command.INFO).add("clients"), BuilderFactory.STRING));
        return info.lines()
                .filter(line -> line.startsWith("connected_clients:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }
}
