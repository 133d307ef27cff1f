package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.client.RedisUri;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.Pool;

/** The application's own client, with settings that suit the application. */
@Tag("first-build")
class ApplicationClientTest {

    private static final Namespace NAMESPACE = new Namespace("callers");

    private static final int TIMEOUT_MILLIS = 54_321;

    /** With the socket timeout of an application that waits for long answers. */
    private static final JedisClientConfig PATIENT = DefaultJedisClientConfig.builder()
            .socketTimeoutMillis(TIMEOUT_MILLIS)
            .build();

    @Test
    void store_onClientOfOneServer_grantsAndHandsOver() throws Exception {
        try (RedisClient client = RedisClient.builder()
                .hostAndPort("127.0.0.1", RedisServer.shared().port())
                .clientConfig(PATIENT)
                .build()) {
            serves(client);
            areGivenBack(client.getPool());
        }
    }

    @Test
    void store_onSentinelClient_grantsAndHandsOver() throws Exception {
        RedisUri uri = RedisUri.of(Sentinels.shared().uri());
        try (RedisSentinelClient client = RedisSentinelClient.builder()
                .masterName(uri.master())
                .sentinels(uri.hosts())
                .clientConfig(PATIENT)
                .sentinelClientConfig(PATIENT)
                .build()) {
            serves(client);
            client.getPrimaryNodesConnectionMap().values().forEach(ApplicationClientTest::areGivenBack);
        }
    }

    @Test
    void store_onClusterClient_grantsAndHandsOver() throws Exception {
        try (RedisClusterClient client = RedisClusterClient.builder()
                .nodes(RedisUri.of(Cluster.shared().uri()).hosts())
                .clientConfig(PATIENT)
                .build()) {
            serves(client);
            client.getClusterNodes().values().forEach(ApplicationClientTest::areGivenBack);
        }
    }

    /** Also while a lock is waited for, which takes a connection for notifications. */
    private static void serves(UnifiedJedis client) throws Exception {
        Properties patient = new Properties();
        patient.setProperty("lock.lease", "5m");
        patient.setProperty("lock.call-timeout", "1m");
        try (LockStore store = TestStores.on(client, NAMESPACE);
                Locks locks = Locks.open(store, patient);
                Locks others = Locks.open(store, patient)) {
            Lease first = locks.named("theirs").acquire();
            CompletableFuture<Lease> second = others.named("theirs").acquireAsync(Duration.ofMinutes(3));
            assertThat(others.named("theirs").tryAcquire()).isEmpty();
            assertThat(first.release()).isTrue();
            Await.result(second).close();
            assertThat(store.diagnose(Duration.ofMinutes(1))).isNotEmpty();
        }
        assertThat(client.set("application", "goes on")).as("it is not closed").isEqualTo("OK");
        LockStore closed = TestStores.on(client, NAMESPACE);
        closed.close();
        assertThatThrownBy(() -> closed.diagnose(Duration.ofMinutes(1))).isInstanceOf(IllegalStateException.class);
    }

    private static void areGivenBack(Pool<Connection> pool) {
        Await.until("all connections are given back", () -> pool.getNumActive() == 0);
        try (Connection connection = pool.getResource()) {
            assertThat(connection.getSoTimeout()).isEqualTo(TIMEOUT_MILLIS);
            assertThat(connection.ping()).isTrue();
        }
    }

    @Test
    void borrowedConnection_afterError_isReturnedWithItsTimeout() {
        try (RedisServer server = RedisServer.own("min-replicas-to-write 1");
                RedisClient client = RedisClient.builder()
                        .hostAndPort("127.0.0.1", server.port())
                        .clientConfig(PATIENT)
                        .build()) {
            assertThatThrownBy(() -> RedisLockStore.of(client, NAMESPACE))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the application's client")
                    .hasMessageContaining("NOREPLICAS");
            areGivenBack(client.getPool());
        }
    }

    @Test
    void call_whenPoolIsExhausted_isUnavailable() {
        try (RedisClient client = clientWith(2);
                LockStore store = TestStores.on(client, NAMESPACE);
                Connection taken = client.getPool().getResource();
                Connection takenToo = client.getPool().getResource()) {
            assertThat(taken.ping() && takenToo.ping()).isTrue();
            assertThatThrownBy(() -> store.diagnose(Duration.ofMillis(50)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("all 2 connections were in use");
        }
    }

    @Test
    void of_clientWithPoolOfOne_isRefused() {
        try (RedisClient client = clientWith(1)) {
            assertThatThrownBy(() -> RedisLockStore.of(client, NAMESPACE))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("a pool of two");
        }
    }

    @Test
    void unsubscribe_withIdleConnections_closesItsOwnOnly() throws Exception {
        try (RedisClient client = clientWith(8);
                LockStore store = TestStores.on(client, NAMESPACE)) {
            List<Connection> some =
                    Stream.generate(client.getPool()::getResource).limit(4).toList();
            some.forEach(Connection::close);
            List<Notification> heard = new CopyOnWriteArrayList<>();
            AutoCloseable signals = store.subscribe(heard::add);
            Await.until("it listens", () -> !heard.isEmpty());
            assertThat(client.getPool().getNumActive()).isEqualTo(1);

            signals.close();

            Await.until("that connection is gone", () -> client.getPool().getNumActive() == 0);
            assertThat(client.getPool().getNumIdle()).isGreaterThanOrEqualTo(3);
        }
    }

    private static RedisClient clientWith(int connections) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        return RedisClient.builder()
                .hostAndPort("127.0.0.1", RedisServer.shared().port())
                .poolConfig(pool)
                .clientConfig(PATIENT)
                .build();
    }

    @Test
    void of_clientOfUnknownKind_isRefused() {
        Pool<Connection> pool = new ConnectionPool(
                new HostAndPort("127.0.0.1", RedisServer.shared().port()), PATIENT);
        try (UnifiedJedis other = new OfAnotherKind(new SomeOrOther(pool))) {
            assertThatThrownBy(() -> RedisLockStore.of(other, NAMESPACE))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("of sentinels or of a Cluster")
                    .hasMessageContaining(OfAnotherKind.class.getName());
            assertThat(other.ping()).isEqualTo("PONG");
        }
    }

    private static final class OfAnotherKind extends UnifiedJedis {
        OfAnotherKind(ConnectionProvider connections) {
            super(connections, RedisProtocol.RESP2);
        }
    }

    /** Such as one that changes from one server to another as it thinks best. */
    private record SomeOrOther(Pool<Connection> pool) implements ConnectionProvider {
        @Override
        public Connection getConnection() {
            return pool.getResource();
        }

        @Override
        public Connection getConnection(CommandArguments arguments) {
            return pool.getResource();
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
