package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.Opened;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.OnServerOfItsOwn;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reign;
import dev.holdfast.lock.testing.Await;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a primary is found to be. */
class CheckupTest extends OnServerOfItsOwn {

    private static final long SECOND = 1_000_000;

    private PrimaryStore store;

    @BeforeEach
    void start() {
        store = Opened.primary(server.uri());
    }

    @AfterEach
    void stop() {
        store.close();
    }

    private Health health() {
        return store.examine(Steps.CALL);
    }

    @Test
    void aServerInOrderHasALineageAndAClockAndNoObjection() {
        Health health = health();

        assertThat(health.lineage()).matches("[0-9a-f]{40}");
        assertThat(health.epoch()).isZero();
        assertThat(health.highestToken()).isZero();
        assertThat(health.objection()).isEmpty();
        long here = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        assertThat(health.clock()).isBetween(here - 60 * SECOND, here + 60 * SECOND);
    }

    @Test
    void itsEpochIsThatOfItsMark() {
        try (Crown crown = Crown.of(server.uri(), 7)) {
            assertThat(health().epoch()).isEqualTo(7);
            assertThat(health().lineage()).isEqualTo(crown.reign().lineage());
        }
        admin.flushAll();
        assertThat(health().epoch()).isZero();
        admin.set(Crown.MARK, "something else");
        assertThat(health().epoch()).isZero();
    }

    @Test
    void itRemembersTheTokensOfAStoreThatStoodAlone() {
        try (LockStore alone = Opened.store(server.uri())) {
            long token = Steps.answered(alone, Steps.acquire("job", Steps.id()), Answer.Granted.class)
                    .token();

            assertThat(health().highestToken()).isEqualTo(token);
        }
    }

    @Test
    void whatMayDropALockIsObjectedToWhereMemoryHasAnEnd() {
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
    void aReplicaIsObjectedToAndNotAskedByThatConnectionAgain() {
        Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
        long made = Administrator.connectionsMade(admin);
        assertThat(health().objection()).hasValue("is a replica");
        assertThat(health().objection()).hasValue("is a replica");
        assertThat(Administrator.connectionsMade(admin)).isGreaterThan(made);
        Administrator.order(admin, "CONFIG", "SET", "replica-serve-stale-data", "no");
        assertThat(health().objection()).hasValue("is a replica");
        try (Crown crown = new Crown(store, new Reign(7, health().lineage()))) {
            assertThat(crown.evidence(Steps.acquire("job", Steps.id()))).contains("replica");
        }
    }

    @Test
    void itTakesFourCommandsOfWhichNoneLeavesAnything() {
        health();
        assertThat(admin.keys("*")).isEmpty();
        try (Commands commands = new Commands(server)) {
            health();
            assertThat(commands.all()).extracting(Commands.Seen::name).containsExactly("INFO", "TIME", "MGET", "SET");
        }
    }

    @Test
    void whatACompositeSeesToIsNoFinding() {
        assertThat(store.findings(Steps.CALL))
                .extracting(Finding::subject)
                .contains("server", "memory", "rights")
                .doesNotContain("replication", "durability");
        assertThat(List.copyOf(admin.keys("*"))).isEmpty();
    }

    @Test
    void whatChangesItsLineageWithoutNeedIsTold() {
        assertThat(lineage())
                .singleElement()
                .satisfies(finding -> assertThat(finding.found()).contains("first replica"));

        try (RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + server.port())) {
            Await.until(
                    "a replica attaches, which is " + replica.uri(),
                    () -> admin.info("replication").contains("repl_backlog_active:1"));
            assertThat(lineage()).singleElement().satisfies(finding -> {
                assertThat(finding.found()).contains("repl-backlog-ttl is 3600");
                assertThat(finding.advice()).contains("set repl-backlog-ttl to 0");
            });
            Administrator.order(admin, "CONFIG", "SET", "repl-backlog-ttl", "0");
            assertThat(lineage()).isEmpty();
        }
    }

    private List<Finding> lineage() {
        return store.findings(Steps.CALL).stream()
                .filter(finding -> finding.subject().equals("lineage"))
                .toList();
    }
}
