package dev.holdfast.lock.redis.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.client.RedisServers;
import dev.holdfast.lock.redis.doctor.ReplicaClocks.Master;
import dev.holdfast.lock.redis.doctor.ReplicaClocks.Reading;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** What the doctor finds on the clocks of a master and its replicas. */
class ReplicaClocksTest {

    private static final HostAndPort REPLICA = new HostAndPort("10.0.0.2", 6379);
    private static final long SECOND = 1_000_000;

    @Test
    void diagnose_replicaOfTheSameMachine_agrees() {
        try (RedisServer master = RedisServer.own();
                RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + master.port())) {
            Await.until(
                    replica.uri() + " is attached", () -> !clocks(master.uri()).isEmpty());
            assertThat(clocks(master.uri()))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
        }
    }

    @Test
    void compare_masterAhead_warnsThatTokensFall() {
        assertThat(compare(master(5 * SECOND), new Reading(0, SECOND))).satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.found()).contains("4s ahead", REPLICA.toString(), "tokens fall");
        });
    }

    @Test
    void compare_masterBehind_warnsThatLeasesEndTooEarly() {
        assertThat(compare(master(-5 * SECOND), new Reading(0, SECOND))).satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.found()).contains("5s behind", REPLICA.toString(), "too early");
        });
    }

    @Test
    void compare_replyThatMayHaveTakenLong_findsNothing() {
        assertThat(compare(master(5 * SECOND), new Reading(0, 4 * SECOND + 1)).severity())
                .isEqualTo(Severity.OK);
    }

    @Test
    void compare_replicaThatDoesNotAnswer_isNote() {
        RedisServers silent = servers(() -> {
            throw new JedisConnectionException("connection refused");
        });

        assertThat(ReplicaClocks.compare(master(0), silent)).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.NOTE);
            assertThat(finding.found()).contains(REPLICA.toString(), "was not checked", "connection refused");
        });
    }

    @Test
    void reading_liesBetweenRequestAndReply() {
        assertThat(Reading.of(10 * SECOND, 2_000_000_000L, 3_000_000_000L))
                .isEqualTo(new Reading(7 * SECOND, 8 * SECOND));
        assertThat(new Reading(0, SECOND).aheadOf(new Reading(SECOND, 2 * SECOND)))
                .isEqualTo(Duration.ZERO);
    }

    @Test
    void replicas_areReadFromInfo() {
        assertThat(ReplicaClocks.replicas("""
                        role:master\r
                        connected_slaves:2\r
                        slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=0\r
                        slave1:ip=::1,port=6380,state=wait_bgsave,offset=0,lag=0,type=replica\r
                        """)).containsExactly(REPLICA, new HostAndPort("::1", 6380));
    }

    private static Finding compare(Master master, Reading ofReplica) {
        List<Finding> findings = ReplicaClocks.compare(master, servers(() -> ofReplica));
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    private static Master master(long ahead) {
        return new Master(new Reading(ahead, ahead), List.of(REPLICA));
    }

    private interface Answer {
        Reading give();
    }

    private static RedisServers servers(Answer answer) {
        return (RedisServers) Proxy.newProxyInstance(
                ReplicaClocksTest.class.getClassLoader(),
                new Class<?>[] {RedisServers.class},
                (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("askReplica");
                    assertThat(arguments[0]).isEqualTo(REPLICA);
                    assertThat(arguments[2]).isInstanceOf(Deadline.class);
                    return answer.give();
                });
    }

    private static List<Finding> clocks(String uri) {
        try (LockStore store = TestStores.store(uri)) {
            return store.diagnose(Await.HANG).stream()
                    .filter(finding -> finding.subject().equals("clocks"))
                    .toList();
        }
    }
}
