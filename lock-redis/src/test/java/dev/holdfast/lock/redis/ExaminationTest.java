package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.server.Cluster;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.Sentinels;
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

/** What an operator is told about the servers, and that its advice helps. */
class ExaminationTest {

    @Test
    void aServerAsItShouldBeIsFine() {
        assertThat(examine(RedisServer.shared().uri()))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.FINE))
                .extracting(Finding::subject)
                .containsExactly("server", "memory", "durability", "replication", "rights");
    }

    @Test
    void theServerIsNamedWithItsVersion() {
        assertThat(examine(RedisServer.shared().uri()))
                .filteredOn(finding -> finding.subject().equals("server"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.found())
                        .startsWith("127.0.0.1:" + RedisServer.shared().port() + ": Redis "));
    }

    @ParameterizedTest
    @CsvSource({
        "maxmemory-policy, allkeys-lru, noeviction, memory",
        "maxmemory-policy, volatile-ttl, noeviction, memory",
        "appendonly, no, yes, durability",
        "appendfsync, everysec, always, durability",
    })
    void whatMakesTheServerForgetIsAWarningUntilItIsSetAsAdvised(
            String directive, String wrong, String right, String subject) {
        try (RedisServer server = RedisServer.own(directive + " " + wrong);
                RedisClient operator = server.client()) {
            assertThat(warnings(server.uri())).singleElement().satisfies(finding -> {
                assertThat(finding.subject()).isEqualTo(subject);
                assertThat(finding.found()).contains("two hold");
                assertThat(finding.advice()).contains(directive).contains(right);
            });
            operator.configSet(directive, right);
            assertThat(warnings(server.uri())).isEmpty();
        }
    }

    @Test
    void aConfigurationThatIsNotShownIsANote() {
        try (RedisServer server = RedisServer.own("user app on >secret ~* &* +@all -config")) {
            assertThat(examine(server.uri().replace("://", "://app:secret@")))
                    .filteredOn(finding -> finding.severity() != Severity.FINE)
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                        assertThat(finding.advice()).contains("appendfsync");
                    });
        }
    }

    @Test
    void aReplicaIsAWarning() {
        try (RedisServer master = RedisServer.own();
                RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + master.port())) {
            Await.until(
                    replica.uri() + " is attached",
                    () -> !warnings(master.uri()).isEmpty());
            assertThat(warnings(master.uri())).singleElement().satisfies(ExaminationTest::isOfAFailover);
        }
    }

    @Test
    void sentinelsAreThereToFailOver() {
        assertThat(warnings(Sentinels.shared().uri())).singleElement().satisfies(ExaminationTest::isOfAFailover);
    }

    private static void isOfAFailover(Finding finding) {
        assertThat(finding.subject()).isEqualTo("replication");
        assertThat(finding.found()).contains("failover", "fencing token");
        assertThat(finding.advice()).contains("lock.provider=composite");
    }

    @Test
    void whatNodesOfAClusterHaveInCommonIsSaidOnce() {
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
    void aServerThatStandsStillIsUnavailable() {
        try (RedisServer server = RedisServer.own();
                LockStore store = Opened.store(server.uri())) {
            server.freeze();
            assertThatThrownBy(() -> store.examine(Duration.ofMillis(300)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining(server.uri());
            server.thaw();
            assertThat(store.examine(Duration.ofMinutes(1))).isNotEmpty();
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void openingWarnsOnceOfAServerThatMayDropLocks() {
        try (RedisServer fine = RedisServer.own();
                RedisServer forgetful = RedisServer.own("maxmemory-policy allkeys-lru")) {
            assertThat(logged(() -> Opened.store(fine.uri()).close(), fine)).isEmpty();
            assertThat(logged(() -> Opened.store(forgetful.uri()).close(), forgetful))
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .contains("WARN", "two hold it", "set maxmemory-policy to noeviction", "allkeys-lru"));
        }
    }

    /** What has been logged meanwhile about this server. */
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
        try (LockStore store = Opened.store(uri)) {
            return store.examine(Duration.ofMinutes(1));
        }
    }
}
