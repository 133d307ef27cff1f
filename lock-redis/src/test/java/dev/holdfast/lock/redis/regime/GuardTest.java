package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** Whatever is asked where the reign is not in power is refused for that reason, and for no other: nobody is told of a loss. */
class GuardTest {

    private static final AcquisitionId HOLDER = Steps.id();
    private static final AcquisitionId OTHER = Steps.id();

    /** How a reign ends, and what is said then. */
    enum Downfall {
        /** The server follows another. */
        REPLICA("replica") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
            }
        },
        /** The server followed another for a while, and may have other data since. */
        REPLICA_FOR_A_WHILE("lineage") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
                Administrator.order(admin, "REPLICAOF", "NO", "ONE");
            }
        },
        /** The same, so long ago that the server shows nothing of it any more: it looks as after either of the next two. */
        REPLICA_LONG_AGO("lineage") {
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
        /** The first replica attaches: a loss of nothing, but nothing shows that. */
        FIRST_REPLICA("lineage") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                attachReplica(server, admin);
                assertThat(admin.info("replication")).contains(NO_LINEAGE_BEFORE);
            }
        },
        /** Its last replica has left, and its backlog is freed. */
        BACKLOG_FREED("lineage") {
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
        FLUSHED("the mark of the reign is gone") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                admin.flushAll();
            }
        },
        /** The server comes back without its data. */
        WIPED("lineage") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                server.wipe();
            }
        },
        /** The server comes back with the data that it saved. */
        RESTARTED("lineage") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                Administrator.order(admin, "SAVE");
                server.kill();
                server.start();
            }
        },
        /** The mark alone is removed. */
        WITHOUT_A_MARK("the mark of the reign is gone") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                admin.del(Crown.MARK);
            }
        },
        /** Somebody writes something else where the mark was. */
        FOREIGN_MARK("the mark of the reign is gone") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                admin.del(Crown.MARK);
                admin.hset(Crown.MARK, "something", "else");
            }
        },
        /** Another reign came to power. */
        SUCCEEDED("the mark is of epoch 8") {
            @Override
            void happen(RedisServer server, RedisClient admin) {
                try (Crown next = Crown.claim(server.uri(), 8)) {
                    next.install();
                }
            }
        };

        private static final String NO_LINEAGE_BEFORE = "master_replid2:" + "0".repeat(40);

        private final String evidence;

        Downfall(String evidence) {
            this.evidence = evidence;
        }

        Crown crown(RedisServer server, RedisClient admin) {
            prepare(server, admin);
            return Crown.of(server.uri(), 7);
        }

        /** What is so before the reign begins. */
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
    void afterItNothingIsDone(Downfall downfall) {
        try (RedisServer server = RedisServer.own("appendonly no");
                RedisClient admin = server.client();
                Crown crown = downfall.crown(server, admin)) {
            crown.answered(Steps.acquire("job", HOLDER), Answer.Granted.class);
            crown.answered(Steps.queue("job", OTHER), Answer.Waiting.class);

            downfall.happen(server, admin);
            crown.awaitAnswer();
            String keys = keys(server);

            for (Step step : List.of(
                    Steps.acquire("job", HOLDER),
                    Steps.acquire("job", Steps.id()),
                    Steps.acquire("free", Steps.id()),
                    Steps.queue("job", OTHER),
                    Steps.queue("free", OTHER),
                    Steps.renew("job", HOLDER),
                    Steps.renew("job", OTHER),
                    Steps.release("job", HOLDER),
                    Steps.release("job", OTHER),
                    new Step.Release(Steps.acquire("job", OTHER).name(), OTHER, Duration.ZERO, Steps.LEASE))) {
                assertThat(crown.evidence(step)).as("to " + step).contains(downfall.evidence);
            }
            assertThat(crown.store()
                            .apply(
                                    crown.reign(),
                                    List.of(Steps.renew("job", HOLDER), Steps.renew("free", OTHER)),
                                    Steps.CALL))
                    .as("to renewals in one call")
                    .allSatisfy(answer ->
                            assertThat(((Answer.Unavailable) answer).why()).isInstanceOf(DeposedException.class));
            assertThatThrownBy(() ->
                            crown.store().inspect(crown.reign(), "", Steps.CALL).count())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasCauseInstanceOf(DeposedException.class);
            assertThat(keys(server)).isEqualTo(keys);
        }
    }

    /** All that is there, and what it says where it is text. */
    private static String keys(RedisServer server) {
        try (RedisClient client = server.client()) { // of those made earlier, the connections may be dead
            return client.keys("*").stream()
                    .sorted()
                    .map(key -> key + " " + (client.type(key).equals("string") ? client.get(key) : ""))
                    .collect(Collectors.joining("\n"));
        }
    }
}
