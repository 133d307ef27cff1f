package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** A command under a primary term that is not active is refused for that reason and no other: no lease is reported lost. */
@Tag("first-build")
class StaleTermTest {

    private static final AcquisitionId HOLDER = TestCommands.id();
    private static final AcquisitionId OTHER = TestCommands.id();

    /** The ways in which a primary term ends, each with its evidence. */
    enum TermEnd {
        /** The server follows another. */
        REPLICA("replica") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            }
        },
        /** The server followed another for a while, and may have other data since. */
        REPLICA_FOR_A_WHILE("replication id") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
                Administrator.order(admin, "REPLICAOF", "NO", "ONE");
            }
        },
        /** The same, so long ago that the server no longer shows it: it looks like either of the next two. */
        REPLICA_LONG_AGO("replication id") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                try (RedisServer other = RedisServer.own()) {
                    Administrator.order(admin, "REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
                    Await.until("it follows", () -> admin.info("replication").contains("master_link_status:up"));
                    Administrator.order(admin, "REPLICAOF", "NO", "ONE");
                }
                assertThat(admin.info("replication")).doesNotContain(NO_LINEAGE_BEFORE);
                awaitNoBacklog(admin);
                assertThat(admin.info("replication")).contains(NO_LINEAGE_BEFORE);
            }
        },
        /** The first replica attaches: no data are lost, but nothing shows that. */
        FIRST_REPLICA("replication id") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                attachReplica(server, admin);
                assertThat(admin.info("replication")).contains(NO_LINEAGE_BEFORE);
            }
        },
        /** Its last replica has left, and its backlog is freed. */
        BACKLOG_FREED("replication id") {
            @Override
            void prepare(RedisServer server, RedisClient admin) {
                attachReplica(server, admin);
            }

            @Override
            void happen(RedisServer server, RedisClient admin) {
                awaitNoBacklog(admin);
                assertThat(admin.info("replication")).contains(NO_LINEAGE_BEFORE);
            }
        },
        /** Everything is removed. */
        FLUSHED("the record of the primary term is gone") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                admin.flushAll();
            }
        },
        /** The server comes back without its data. */
        WIPED("replication id") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                server.wipe();
            }
        },
        /** The server comes back with the data that it saved. */
        RESTARTED("replication id") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "SAVE");
                server.kill();
                server.start();
            }
        },
        /** The term's record alone is removed. */
        WITHOUT_A_MARK("the record of the primary term is gone") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                admin.del(PrimaryTermFixture.MARK);
            }
        },
        /** A foreign value replaces the term's record. */
        FOREIGN_MARK("the record of the primary term is gone") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                admin.del(PrimaryTermFixture.MARK);
                admin.hset(PrimaryTermFixture.MARK, "something", "else");
            }
        },
        /** Another primary term was activated. */
        SUCCEEDED("the record of the primary term is of epoch 8") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                try (PrimaryTermFixture next = PrimaryTermFixture.claim(server.uri(), 8)) {
                    next.install();
                }
            }
        };

        private static final String NO_LINEAGE_BEFORE = "master_replid2:" + "0".repeat(40);

        private final String evidence;

        TermEnd(String evidence) {
            this.evidence = evidence;
        }

        PrimaryTermFixture term(RedisServer server, RedisClient admin) {
            prepare(server, admin);
            return PrimaryTermFixture.of(server.uri(), 7);
        }

        /** Prepares the server before the term begins. */
        void prepare(RedisServer server, RedisClient admin) {}

        abstract void happen(RedisServer server, RedisClient admin);

        /** A replica that soon leaves. */
        private static void attachReplica(RedisServer server, RedisClient admin) {
            try (RedisServer replica = RedisServer.own("replicaof 127.0.0.1 " + server.port())) {
                Await.until(
                        "a replica attaches, which is " + replica.uri(),
                        () -> admin.info("replication").contains("repl_backlog_active:1"));
            }
        }

        private static void awaitNoBacklog(RedisClient admin) {
            Administrator.order(admin, "CONFIG", "SET", "repl-backlog-ttl", "1");
            Await.until("the backlog is freed", () -> admin.info("replication").contains("repl_backlog_active:0"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void command_afterEndOfTerm_isRefusedAndWritesNothing(TermEnd downfall) {
        try (RedisServer server = RedisServer.own("appendonly no");
                RedisClient admin = server.client();
                PrimaryTermFixture term = downfall.term(server, admin)) {
            term.answered(TestCommands.acquire("job", HOLDER), LockReply.Granted.class);
            term.answered(TestCommands.queue("job", OTHER), LockReply.Queued.class);

            downfall.happen(server, admin);
            term.awaitAnswer();
            String keys = keys(server);

            for (LockCommand command : List.of(
                    TestCommands.acquire("job", HOLDER),
                    TestCommands.acquire("job", TestCommands.id()),
                    TestCommands.acquire("free", TestCommands.id()),
                    TestCommands.queue("job", OTHER),
                    TestCommands.queue("free", OTHER),
                    TestCommands.renew("job", HOLDER),
                    TestCommands.renew("job", OTHER),
                    TestCommands.release("job", HOLDER),
                    TestCommands.release("job", OTHER),
                    new LockCommand.Release(
                            TestCommands.acquire("job", OTHER).name(), OTHER, Duration.ZERO, TestCommands.LEASE))) {
                assertThat(term.evidence(command)).as("to " + command).contains(downfall.evidence);
            }
            for (List<LockCommand> commands : List.<List<LockCommand>>of(
                    List.of(TestCommands.renew("job", HOLDER), TestCommands.renew("free", OTHER)),
                    List.of(TestCommands.acquire("free", OTHER), TestCommands.acquire("also free", OTHER)),
                    List.of(TestCommands.release("job", HOLDER), TestCommands.acquire("free", OTHER)),
                    List.of(TestCommands.acquire("job", HOLDER), TestCommands.release("free", OTHER)))) {
                assertThat(term.store().execute(term.term(), commands, TestCommands.CALL))
                        .as("to one call with " + commands)
                        .allSatisfy(reply -> assertThat(((LockReply.Unavailable) reply).cause())
                                .isInstanceOf(StaleTermException.class)
                                .hasMessageContaining(downfall.evidence));
            }
            assertThatThrownBy(() -> term.store()
                            .list(term.term(), "", TestCommands.CALL)
                            .count())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasCauseInstanceOf(StaleTermException.class);
            assertThat(keys(server)).isEqualTo(keys);
        }
    }

    /** All keys, with the values of strings. */
    private static String keys(RedisServer server) {
        try (RedisClient client = server.client()) { // of those made earlier, the connections may be dead
            return client.keys("*").stream()
                    .sorted()
                    .map(key -> key + " " + (client.type(key).equals("string") ? client.get(key) : ""))
                    .collect(Collectors.joining("\n"));
        }
    }
}
