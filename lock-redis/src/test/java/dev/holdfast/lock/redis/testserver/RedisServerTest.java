package dev.holdfast.lock.redis.testserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** The server for tests: it fails on demand, and leaves nothing behind. */
class RedisServerTest {

    @Test
    void server_afterKillAndStart_keepsPortAndData() {
        try (RedisServer server = RedisServer.own()) {
            set(server, "kept", "yes");
            int port = server.port();

            server.kill();

            assertThatThrownBy(() -> get(server, "kept")).isInstanceOf(JedisConnectionException.class);
            server.start();
            assertThat(get(server, "kept")).isEqualTo("yes");
            assertThat(server.port()).isEqualTo(port);
        }
    }

    @Test
    void server_afterWipe_hasNoData() {
        try (RedisServer server = RedisServer.own()) {
            set(server, "kept", "yes");

            server.wipe();

            assertThat(get(server, "kept")).isNull();
        }
    }

    @Test
    void server_frozenAndThawed_keepsItsConnections() {
        try (RedisServer server = RedisServer.own();
                RedisClient impatient = RedisClient.builder()
                        .hostAndPort(new HostAndPort("127.0.0.1", server.port()))
                        .clientConfig(DefaultJedisClientConfig.builder()
                                .socketTimeoutMillis(200)
                                .build())
                        .build()) {
            set(server, "kept", "yes");

            server.freeze();

            assertThatThrownBy(impatient::ping)
                    .isInstanceOf(JedisConnectionException.class)
                    .hasMessageContaining("timed out");
            server.thaw();
            assertThat(get(server, "kept")).isEqualTo("yes");
        }
    }

    @Test
    void server_withDirectives_obeysThem() {
        try (RedisServer server = RedisServer.own("maxmemory 3mb", "requirepass secret");
                RedisClient stranger = client(server, patient());
                RedisClient client = server.client()) {
            assertThat(client.configGet("maxmemory")).containsEntry("maxmemory", Integer.toString(3 << 20));
            assertThatThrownBy(stranger::ping).isInstanceOf(JedisAccessControlException.class);
        }
    }

    @Test
    void server_withUser_enforcesItsRights() {
        try (RedisServer server = RedisServer.own("user reader on >secret ~a* +get");
                RedisClient reader = client(server, patient().user("reader").password("secret"))) {
            assertThat(reader.get("a")).isNull();
            assertThatThrownBy(() -> reader.get("b"))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageContaining("NOPERM");
        }
    }

    private static DefaultJedisClientConfig.Builder patient() {
        return DefaultJedisClientConfig.builder().timeoutMillis(Awaiting.LIMIT_MILLIS);
    }

    private static RedisClient client(RedisServer server, DefaultJedisClientConfig.Builder config) {
        return RedisClient.builder()
                .hostAndPort("127.0.0.1", server.port())
                .clientConfig(config.build())
                .build();
    }

    @Test
    void server_thatCannotStart_namesTheReason() {
        assertThatThrownBy(() -> new EmbeddedServer(Directives.standalone().and("no-such-directive yes")))
                .hasMessageContaining("no-such-directive");
    }

    @Test
    void sharedServer_askedTwice_isTheSame() {
        assertThat(RedisServer.shared()).isSameAs(RedisServer.shared());
    }

    @Test
    void server_closedWhileFrozen_leavesNoProcess() {
        EmbeddedServer server = new EmbeddedServer(Directives.standalone());
        ProcessHandle process = server.process();
        server.freeze();

        server.close();

        assertThat(process.isAlive()).isFalse();
    }

    private static void set(RedisServer server, String key, String value) {
        try (RedisClient client = server.client()) {
            client.set(key, value);
        }
    }

    private static String get(RedisServer server, String key) {
        try (RedisClient client = server.client()) {
            return client.get(key);
        }
    }
}
