package dev.holdfast.lock.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.RedisClient;

/** The findings about servers, and that their advice helps. */
class RedisDiagnosticsTest {

    @Test
    void diagnose_wellConfiguredServer_findsNothing() {
        assertThat(examine(RedisServer.shared().uri()))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
                .extracting(Finding::subject)
                .containsExactly("server", "memory", "durability", "replication", "rights");
    }

    @Test
    void diagnose_anyServer_namesAddressAndVersion() {
        assertThat(examine(RedisServer.shared().uri()))
                .filteredOn(finding -> finding.subject().equals("server"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.found())
                        .matches("127\\.0\\.0\\.1:" + RedisServer.shared().port() + ": (Redis|Valkey) \\d+\\..*"));
    }

    @ParameterizedTest
    @CsvSource({
        "maxmemory-policy, allkeys-lru, noeviction, memory",
        "maxmemory-policy, volatile-ttl, noeviction, memory",
        "appendonly, no, yes, durability",
        "appendfsync, everysec, always, durability",
    })
    void diagnose_forgetfulSetting_warnsUntilItIsSetAsAdvised(
            String directive, String wrong, String right, String subject) {
        try (RedisServer server = RedisServer.own(directive + " " + wrong);
                RedisClient operator = server.client()) {
            assertThat(warnings(server.uri())).singleElement().satisfies(finding -> {
                assertThat(finding.subject()).isEqualTo(subject);
                assertThat(finding.found()).contains("two clients hold");
                assertThat(finding.advice()).contains(directive).contains(right);
            });
            operator.configSet(directive, right);
            assertThat(warnings(server.uri())).isEmpty();
        }
    }

    @Test
    void diagnose_hiddenConfiguration_isNote() {
        try (RedisServer server = RedisServer.own("user app on >secret ~* &* +@all -config")) {
            assertThat(examine(server.uri().replace("://", "://app:secret@")))
                    .filteredOn(finding -> finding.severity() != Severity.OK)
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                        assertThat(finding.advice()).contains("appendfsync");
                    });
        }
    }

    /** A managed service forbids commands to all its users, and may not offer an append-only file. */
    @Test
    void diagnose_serviceWithoutConfigAndAppendOnlyFile_saysWhatElseHelps() {
        try (RedisServer server = RedisServer.own("rename-command CONFIG \"\"", "appendonly no")) {
            assertThat(warnings(server.uri())).singleElement().satisfies(finding -> {
                assertThat(finding.subject()).isEqualTo("durability");
                assertThat(finding.advice()).contains("managed service", "smaller tokens", "lock.provider=composite");
            });
        }
    }

    @Test
    void diagnose_serverWithoutSubscribe_warnsOfLateWaiters() {
        try (RedisServer server = RedisServer.own("rename-command SUBSCRIBE \"\"")) {
            assertThat(warnings(server.uri())).singleElement().satisfies(finding -> {
                assertThat(finding.subject()).isEqualTo("notifications");
                assertThat(finding.found()).contains("the command subscribe", "a waiter asks again");
                assertThat(finding.advice()).doesNotContain("ACL");
            });
        }
    }

    @Test
    void diagnose_serverWithReplica_warnsOfFailover() {
        try (RedisServer master = RedisServer.own();
                RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + master.port())) {
            Await.until(
                    replica.uri() + " is attached",
                    () -> !warnings(master.uri()).isEmpty());
            assertThat(warnings(master.uri())).singleElement().satisfies(RedisDiagnosticsTest::isOfAFailover);
        }
    }

    @Test
    void diagnose_sentinels_warnsOfFailover() {
        assertThat(warnings(Sentinels.shared().uri())).singleElement().satisfies(RedisDiagnosticsTest::isOfAFailover);
    }

    private static void isOfAFailover(Finding finding) {
        assertThat(finding.subject()).isEqualTo("replication");
        assertThat(finding.found()).contains("failover", "fencing token");
        assertThat(finding.advice()).contains("lock.provider=composite");
    }

    @Test
    void diagnose_cluster_reportsCommonFindingsOnce() {
        Cluster cluster = Cluster.shared();
        List<RedisServer> masters = cluster.masters();
        try (RedisClient operator = masters.get(0).client()) {
            operator.configSet("maxmemory-policy", "allkeys-lru");
            List<Finding> findings = examine(cluster.uri());

            assertThat(findings)
                    .filteredOn(finding -> finding.subject().equals("replication"))
                    .singleElement()
                    .satisfies(finding -> assertThat(masters)
                            .allSatisfy(master -> assertThat(finding.found()).contains("127.0.0.1:" + master.port())));
            assertThat(findings)
                    .filteredOn(finding -> finding.subject().equals("memory"))
                    .hasSize(2)
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.found())
                            .startsWith("127.0.0.1:" + masters.get(0).port() + ": "));
            operator.configSet("maxmemory-policy", "noeviction");
        }
    }

    @Test
    void diagnose_frozenServer_isUnavailable() {
        try (RedisServer server = RedisServer.own();
                LockStore store = TestStores.store(server.uri())) {
            server.freeze();
            assertThatThrownBy(() -> store.diagnose(Duration.ofMillis(300)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining(server.uri());
            server.thaw();
            assertThat(store.diagnose(Duration.ofMinutes(1))).isNotEmpty();
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void open_serverThatEvictsKeys_warnsOnce() {
        try (RedisServer fine = RedisServer.own();
                RedisServer forgetful = RedisServer.own("maxmemory-policy allkeys-lru")) {
            assertThat(logged(() -> TestStores.store(fine.uri()).close(), fine)).isEmpty();
            assertThat(logged(() -> TestStores.store(forgetful.uri()).close(), forgetful))
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .contains("WARN", "clients hold it", "set maxmemory-policy to noeviction", "allkeys-lru"));
        }
    }

    /** The lines that the action logs about this server. */
    private static List<String> logged(Runnable action, RedisServer about) {
        try (StandardError log = StandardError.listen()) {
            action.run();
            return log.lines()
                    .filter(line -> line.contains(Integer.toString(about.port())))
                    .toList();
        }
    }

    private static List<Finding> warnings(String uri) {
        return examine(uri).stream()
                .filter(finding -> finding.severity().compareTo(Severity.NOTE) > 0)
                .toList();
    }

    private static List<Finding> examine(String uri) {
        try (LockStore store = TestStores.store(uri)) {
            return store.diagnose(Duration.ofMinutes(1));
        }
    }
}
