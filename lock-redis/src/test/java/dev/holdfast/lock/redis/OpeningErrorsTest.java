package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.Certificates;
import dev.holdfast.lock.redis.server.Cluster;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.Sentinels;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** What is wrong when a store is opened, and what is said about it. */
class OpeningErrorsTest {

    @TempDir
    Path directory;

    @Test
    void withoutAUriNothingIsOpened() {
        opening("").isInstanceOf(LockConfigurationException.class).hasMessageContaining("lock.redis.uri");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "http://localhost",
                "redis:localhost",
                "redis://",
                "redis://host:0",
                "redis://a,b",
                "redis://host/x",
                "redis-sentinel://host",
                "redis-cluster://host/1",
                "redis://secret@host"
            })
    void aUriOfAnotherFormIsToldTheForms(String uri) {
        opening(uri)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.uri")
                .hasMessageContaining("redis-sentinel://host")
                .satisfies(OpeningErrorsTest::keepsQuiet);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://u:s3cret                  | redis://u:****",
                "redis://:s3cret/0                 | redis://:****",
                "redis://h/s3cret                  | redis://h/****",
                "redis://h:1/s3cret/2              | redis://h:1/****",
                "redis://u:s3cret,s3cret           | redis://u:****",
                "redis://h?auth=s3cret             | redis://h?****",
                "redis://u:pa#s3cret               | redis://u:****",
                "redis-sentinel://h1:1,u:s3cret/m  | redis-sentinel://h1:1,u:****",
                "redis-sentinel://h1:1,h2/m/s3cret | redis-sentinel://h1:1,h2/****",
                "redis-cluster://h/s3cret          | redis-cluster://h/****",
                "redis://:pa/s3cret@h              | redis://:****@h",
                "redis://u s3cret                  | redis://u ****",
            })
    void aPasswordThatIsNotWhereItShouldBeIsShownNowhere(String uri, String shown) {
        Properties configuration = new Properties();
        configuration.setProperty("lock.provider", "redis");
        configuration.setProperty("lock.redis.uri", uri);

        assertThatThrownBy(() -> Locks.open(configuration))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.uri=" + shown + " (")
                .satisfies(failure -> assertThat(trace(failure)).doesNotContain("s3cret"));
    }

    private static String trace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    @Test
    void aServerOutOfReachIsUnavailableAndNamedWithoutItsSecrets() {
        int port = 1; // where nobody listens
        for (String kind : new String[] {"redis", "redis-cluster", "redis-sentinel", "rediss"}) {
            String master = kind.equals("redis-sentinel") ? "/main" : "";
            opening(kind + "://app:secret@127.0.0.1:" + port + master)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("://app:****@127.0.0.1:" + port)
                    .hasMessageContaining("Connection refused")
                    .satisfies(OpeningErrorsTest::keepsQuiet);
        }
    }

    @Test
    void anUnknownHostIsUnavailable() {
        opening("redis://nowhere.invalid")
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("nowhere.invalid");
    }

    @Test
    void whoIsNotLetInHasAWrongSetting() {
        try (RedisServer server = RedisServer.own("requirepass secret")) {
            String at = "@127.0.0.1:" + server.port();
            for (String kind : new String[] {"redis", "redis-cluster"}) {
                opening(kind + "://:secret-not" + at)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("WRONGPASS")
                        .satisfies(OpeningErrorsTest::keepsQuiet);
                opening(kind + "://nobody:secret" + at)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("WRONGPASS");
                opening(kind + "://127.0.0.1:" + server.port())
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("NOAUTH");
            }
            opening(server.uri(), "lock.redis.password", "secret-not")
                    .isInstanceOf(LockConfigurationException.class)
                    .satisfies(OpeningErrorsTest::keepsQuiet);
            opening("redis://:secret" + at, "lock.redis.password", "secret")
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("lock.redis.password")
                    .satisfies(OpeningErrorsTest::keepsQuiet);
            try (var store = Opened.store(server.uri(), "lock.redis.password", "secret")) {
                assertThat(store.examine(Duration.ofMinutes(1))).isNotEmpty();
            }
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsASetting() {
        opening(RedisServer.shared().uri() + "/99999")
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("DB index is out of range");
    }

    @Test
    void aServerThatIsTooOldIsRefusedWithItsVersion() {
        try (FakeServer old = new FakeServer("redis_version:6.0.16", "redis_mode:standalone", "role:master")) {
            opening(old.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining(old.uri())
                    .hasMessageContaining("Redis 6.0.16")
                    .hasMessageContaining("6.2");
        }
    }

    @Test
    void aReplicaIsRefused() {
        try (RedisServer master = RedisServer.own();
                RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + master.port())) {
            opening(replica.uri())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("is no master, but a replica")
                    .hasMessageContaining("redis-sentinel://");
        }
    }

    @Test
    void aServerThatIsNoNodeOfAClusterIsForRedis() {
        opening("redis-cluster://127.0.0.1:" + RedisServer.shared().port())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("redis:// is for a single server");
        opening("redis-sentinel://127.0.0.1:" + RedisServer.shared().port() + "/main")
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("SENTINEL");
    }

    @Test
    void aNodeOfAClusterIsForRedisCluster() {
        try (RedisServer node = RedisServer.own("cluster-enabled yes")) {
            opening(node.uri()).isInstanceOf(LockConfigurationException.class).hasMessageContaining("redis-cluster://");
        }
    }

    @Test
    void sentinelsHaveToKnowTheMaster() {
        try (Sentinels sentinels = Sentinels.patient()) {
            opening(sentinels.uri().replace("/main", "/other"))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("know no master 'other'");
            opening("redis://127.0.0.1:" + sentinels.sentinels().get(0).port())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("is a sentinel")
                    .hasMessageContaining("redis-sentinel://");
            Opened.store(sentinels.uri()).close();
        }
    }

    @Test
    void aCertificateThatIsNotTrustedOrAnotherHostsIsASetting() throws IOException {
        Certificates certificates = new Certificates(directory);
        String[] trusting = trust(certificates.trustStore(), Certificates.PASSWORD);
        try (RedisServer right = RedisServer.own(certificates.rightHost());
                RedisServer wrong = RedisServer.own(certificates.wrongHost())) {
            Opened.store(right.uri(), trusting).close();
            for (String uri : new String[] {right.uri(), right.uri().replace("rediss", "rediss-cluster")}) {
                opening(uri)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("unable to find valid certification path");
            }
            opening(right.uri(), trust(certificates.strangersTrustStore(), Certificates.PASSWORD))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("unable to find valid certification path");
            opening(wrong.uri(), trusting)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("127.0.0.1 found");
        }
    }

    @Test
    void aTrustStoreHasToShowCertificates() throws IOException {
        Certificates certificates = new Certificates(directory);
        Path other = Files.writeString(directory.resolve("other"), "this is no store of certificates");
        String uri = "rediss://127.0.0.1:1";
        opening(uri, trust(certificates.trustStore(), "secret")).satisfies(OpeningErrorsTest::namesTheTrustStore);
        opening(uri, "lock.redis.trust-store", certificates.trustStore().toString())
                .satisfies(OpeningErrorsTest::namesTheTrustStore)
                .hasMessageContaining("trust-store-password");
        for (Path wrong : new Path[] {other, directory, directory.resolve("none")}) {
            opening(uri, trust(wrong, "secret")).satisfies(OpeningErrorsTest::namesTheTrustStore);
        }
        opening("redis://127.0.0.1:1", trust(certificates.trustStore(), Certificates.PASSWORD))
                .satisfies(OpeningErrorsTest::namesTheTrustStore)
                .hasMessageContaining("rediss");
    }

    private static void namesTheTrustStore(Throwable failure) {
        assertThat(failure)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.redis.trust-store");
        keepsQuiet(failure);
    }

    private static String[] trust(Path file, String password) {
        return new String[] {"lock.redis.trust-store", file.toString(), "lock.redis.trust-store-password", password};
    }

    @Test
    void aServerThatTakesNoLocksNowIsUnavailable() {
        try (RedisServer server = RedisServer.own("min-replicas-to-write 1");
                RedisClient client = server.client()) {
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("NOREPLICAS");
            client.configSet("min-replicas-to-write", "0");
            client.configSet("maxmemory", "1");
            opening(server.uri()).isInstanceOf(LockUnavailableException.class).hasMessageContaining(": OOM ");
            client.configSet("maxmemory", "0");
            Opened.store(server.uri()).close();
        }
    }

    @Test
    void whatWasOpenedIsClosedWhenItWillNotDo() {
        try (RedisServer server = RedisServer.own("min-replicas-to-write 1");
                RedisClient client = server.client()) {
            Awaiting.until("whoever waited for its start is gone", () -> connections(client) == 1);
            opening(server.uri()).hasMessageContaining("NOREPLICAS");
            Awaiting.until("the connections are closed", () -> connections(client) == 1);
        }
        try (Cluster cluster = Cluster.start(Cluster.PATIENT, "min-replicas-to-write 5");
                RedisClient client = cluster.masters().get(0).client()) {
            long before = connections(client);
            opening(cluster.uri()).hasMessageContaining("NOREPLICAS");
            Awaiting.until("the connections are closed", () -> connections(client) == before);
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

    private static void keepsQuiet(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            assertThat(at.toString().replace("redis://secret@", "")).doesNotContain("secret");
        }
    }

    private AbstractThrowableAssert<?, ?> opening(String uri, String... more) {
        return assertThatThrownBy(() -> Opened.store(uri, more).close());
    }
}
