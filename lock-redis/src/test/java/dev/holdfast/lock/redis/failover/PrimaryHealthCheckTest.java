package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import dev.holdfast.lock.testing.Await;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The health of a composite's primary. */
class PrimaryHealthCheckTest extends ServerFixture {

    private static final long SECOND = 1_000_000;

    private PrimaryStore store;

    @BeforeEach
    void start() {
        store = TestStores.primary(server.uri());
    }

    @AfterEach
    void stop() {
        store.close();
    }

    private PrimaryHealth health() {
        return store.health(TestCommands.CALL);
    }

    @Test
    void healthCheck_ofFitServer_hasReplicationIdAndClockAndNoObjection() {
        PrimaryHealth health = health();

        assertThat(health.replicationId()).matches("[0-9a-f]{40}");
        assertThat(health.epoch()).isZero();
        assertThat(health.highestToken()).isZero();
        assertThat(health.objection()).isEmpty();
        long here = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        assertThat(health.clock()).isBetween(here - 60 * SECOND, here + 60 * SECOND);
    }

    @Test
    void healthCheck_afterActivation_hasTheEpoch() {
        try (PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 7)) {
            assertThat(health().epoch()).isEqualTo(7);
            assertThat(health().replicationId()).isEqualTo(term.term().replicationId());
        }
        admin.flushAll();
        assertThat(health().epoch()).isZero();
        admin.set(PrimaryTermFixture.MARK, "something else");
        assertThat(health().epoch()).isZero();
    }

    @Test
    void healthCheck_afterStandaloneUse_hasTheLastToken() {
        try (LockStore alone = TestStores.store(server.uri())) {
            long token = TestCommands.answered(
                            alone, TestCommands.acquire("job", TestCommands.id()), LockReply.Granted.class)
                    .token();

            assertThat(health().highestToken()).isEqualTo(token);
        }
    }

    @Test
    void healthCheck_ofEvictingServerWithLimitedMemory_objects() {
        Administrator.order(admin, "CONFIG", "SET", "maxmemory-policy", "volatile-lru");
        assertThat(health().objection()).isEmpty();
        Administrator.order(admin, "CONFIG", "SET", "maxmemory", "100mb");
        assertThat(health().objection())
                .hasValueSatisfying(
                        text -> assertThat(text).contains("volatile-lru").contains("noeviction"));
        Administrator.order(admin, "CONFIG", "SET", "maxmemory-policy", "noeviction");
        assertThat(health().objection()).isEmpty();
    }

    @Test
    void healthCheck_ofReplica_objectsAndDiscardsTheConnection() {
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
        long made = Administrator.connectionsMade(admin);
        assertThat(health().objection()).hasValue("is a replica");
        assertThat(health().objection()).hasValue("is a replica");
        assertThat(Administrator.connectionsMade(admin)).isGreaterThan(made);
        Administrator.order(admin, "CONFIG", "SET", "replica-serve-stale-data", "no");
        assertThat(health().objection()).hasValue("is a replica");
        try (PrimaryTermFixture term = new PrimaryTermFixture(store, new PrimaryTerm(7, health().replicationId()))) {
            assertThat(term.evidence(TestCommands.acquire("job", TestCommands.id())))
                    .contains("replica");
        }
    }

    @Test
    void healthCheck_ofAnyServer_takesFourCommandsAndLeavesNothing() {
        health();
        assertThat(admin.keys("*")).isEmpty();
        try (CommandRecorder commands = new CommandRecorder(server)) {
            health();
            assertThat(commands.all())
                    .extracting(CommandRecorder.Seen::name)
                    .containsExactly("INFO", "TIME", "MGET", "SET");
        }
    }

    @Test
    void diagnose_primary_doesNotWarnOfFailover() {
        assertThat(store.diagnose(TestCommands.CALL))
                .extracting(Finding::subject)
                .contains("server", "memory", "rights")
                .doesNotContain("replication", "durability");
        assertThat(List.copyOf(admin.keys("*"))).isEmpty();
    }

    @Test
    void diagnose_primary_notesWhatChangesItsReplicationId() {
        assertThat(replicationFindings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains("first replica"));

        try (RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + server.port())) {
            Await.until(
                    "a replica attaches, which is " + replica.uri(),
                    () -> admin.info("replication").contains("repl_backlog_active:1"));
            assertThat(replicationFindings()).singleElement().satisfies(finding -> {
                assertThat(finding.found()).contains("repl-backlog-ttl is 3600");
                assertThat(finding.advice()).contains("set repl-backlog-ttl to 0");
            });
            Administrator.order(admin, "CONFIG", "SET", "repl-backlog-ttl", "0");
            assertThat(replicationFindings()).isEmpty();
        }
    }

    private List<Finding> replicationFindings() {
        return store.diagnose(TestCommands.CALL).stream()
                .filter(finding -> finding.subject().equals("replication-id"))
                .toList();
    }
}
