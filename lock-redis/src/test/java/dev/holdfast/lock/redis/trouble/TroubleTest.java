package dev.holdfast.lock.redis.trouble;

import static dev.holdfast.lock.redis.trouble.Steps.acquire;
import static dev.holdfast.lock.redis.trouble.Steps.answered;
import static dev.holdfast.lock.redis.trouble.Steps.id;
import static dev.holdfast.lock.redis.trouble.Steps.queue;
import static dev.holdfast.lock.redis.trouble.Steps.release;
import static dev.holdfast.lock.redis.trouble.Steps.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** A server that loses connections, scripts, its past or its role, one trouble at a time. */
@Execution(ExecutionMode.CONCURRENT)
class TroubleTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final Duration STANDSTILL = Duration.ofSeconds(1);

    @Test
    void signalsAreHeardAgainWhenTheirConnectionWasKilled() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient client = server.client();
                LockStore store = Application.store(client)) {
            Heard heard = new Heard();
            AutoCloseable subscription = store.signals(heard);
            heard.await(Signal.ANY, 0);
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            answered(store, acquire("signalled", holder), Answer.Granted.class);
            answered(store, queue("signalled", waiter), Answer.Waiting.class);

            int before = heard.count();
            kill(client, "pubsub");

            heard.await(Signal.ANY, before); // what was told in the gap, nobody has heard
            answered(store, release("signalled", holder), Answer.Released.class);
            heard.await(Signal.to(new LockName("signalled"), waiter), before);
            subscription.close();
        }
    }

    @Test
    void whoWaitsIsServedAlthoughTheSignalWasLostWithItsConnection() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Locks mine = Application.open(server.uri());
                Locks others = Application.open(server.uri())) {
            for (int round = 0; round < 10; round++) {
                Lease lease = mine.named("handed over").acquire();
                CompletableFuture<Lease> waiter = others.named("handed over").acquireAsync(MINUTE);
                Awaiting.until("somebody waits", () -> Application.waiting(admin, "handed over") == 1);

                kill(admin, "pubsub");
                assertThat(lease.release()).isTrue();

                assertThat(waiter.get(1, TimeUnit.MINUTES).release()).isTrue();
            }
        }
    }

    @Test
    void aLeaseOutlastsARestartOfTheServerAndIsReleasedAfterwards() throws Exception {
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (Locks mine = Application.open(server.uri());
                    Locks others = Application.open(server.uri())) {
                Lease lease = mine.named("kept").acquire();
                CompletableFuture<Lease> waiter = others.named("kept").acquireAsync(MINUTE);
                try (RedisClient admin = server.client()) {
                    Awaiting.until("somebody waits", () -> Application.waiting(admin, "kept") == 1);
                }

                server.kill();
                server.start();

                assertThat(others.named("kept").tryAcquire()).isEmpty();
                assertThat(waiter).isNotDone();
                assertThat(lease.release()).isTrue();
                Lease next = waiter.get(1, TimeUnit.MINUTES);
                assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
                assertThat(next.release()).isTrue();
            }
        }
    }

    @Test
    void whoeverAsksWhileTheServerReadsItsDataIsToldThatItIsUnavailable() throws Exception {
        try (RedisServer server = RedisServer.own("rdbcompression no", "key-load-delay 50000")) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (Locks mine = Application.open(server.uri(), "lock.lease", "5m", "lock.call-timeout", "500ms")) {
                Lease lease = mine.named("kept").acquire();
                try (RedisClient admin = server.client()) {
                    for (int key = 0; key < 50; key++) {
                        admin.set("key " + key, "x".repeat(1 << 20)); // it speaks after each two megabytes
                    }
                    Administrator.order(admin, "BGREWRITEAOF");
                    Awaiting.until(
                            "all is in one file",
                            () -> admin.info("persistence").contains("aof_rewrite_in_progress:0")
                                    && admin.info("persistence").contains("aof_rewrite_scheduled:0"));
                }
                Pulse.steadily(
                        STANDSTILL,
                        pulse -> { // it reads for more than two seconds
                            server.kill();
                            CompletableFuture<Void> start =
                                    CompletableFuture.runAsync(server::start, task -> new Thread(task).start());
                            try {
                                Application.awaitReason(mine, "LOADING"); // before it reads, there is nobody
                            } finally {
                                start.get(1, TimeUnit.MINUTES);
                            }
                        });

                assertThat(lease.release()).isTrue();
                assertThat(mine.named("kept").acquire(MINUTE).release()).isTrue();
            }
        }
    }

    @Test
    void aHolderWhomTheServerForgotByFollowingAnotherIsToldSoAndNobodyWaitsForIt() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisServer another = RedisServer.own();
                RedisClient admin = server.client();
                Locks mine = Application.open(server.uri(), "lock.lease", "9s", "lock.call-timeout", "500ms");
                Locks others = Application.open(server.uri())) {
            Lease lease = mine.named("forgotten").acquire();
            AtomicInteger losses = new AtomicInteger();
            lease.onLost(loss -> losses.incrementAndGet());
            CompletableFuture<Lease> waiter = others.named("forgotten").acquireAsync(MINUTE);
            Awaiting.until("somebody waits", () -> Application.waiting(admin, "forgotten") == 1);

            Administrator.order(admin, "REPLICAOF", "127.0.0.1", Integer.toString(another.port()));
            Awaiting.until("it follows", () -> admin.info("replication").contains("master_link_status:up"));
            Application.awaitReason(others, "READONLY");
            Administrator.order(admin, "REPLICAOF", "NO", "ONE");

            Lease next = waiter.get(1, TimeUnit.MINUTES);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            Awaiting.until("the holder is told", () -> losses.get() == 1);
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            assertThat(lease.release()).isFalse();
            assertThat(next.release()).isTrue();
        }
    }

    /** Else those of a pool that idle would go on asking it after another has taken over. */
    @Test
    void connectionsToAServerThatIsNoMasterAnyMoreAreClosed() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                RedisClient client = server.client();
                LockStore store = Application.store(client)) {
            answered(store, acquire("before", id()), Answer.Granted.class);
            assertThat(client.getPool().getNumIdle()).isEqualTo(1);
            Object idle = client.executeCommand(new CommandArguments(Command.CLIENT).add("ID"));
            Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");

            answered(store, acquire("meanwhile", id()), Answer.Unavailable.class);

            Awaiting.until(
                    "that connection is closed",
                    () -> Administrator.clients(admin).noneMatch(line -> line.startsWith("id=" + idle + " ")));
        }
    }

    @Test
    void stepsOnOneNameKeepTheirOrderWhenTheServerHasForgottenTheScripts() {
        try (RedisServer server = RedisServer.own();
                RedisClient client = server.client();
                LockStore store = Application.store(client)) {
            for (int round = 0; round < 3; round++) {
                AcquisitionId first = id();
                AcquisitionId second = id();
                AcquisitionId third = id();
                client.scriptFlush();

                List<Answer> answers = store.apply(
                        List.of(
                                acquire("one", first),
                                renew("one", first),
                                queue("one", second),
                                release("one", first),
                                queue("one", second),
                                renew("one", first),
                                release("one", second),
                                acquire("one", third),
                                release("one", third)),
                        Steps.CALL);

                assertThat(answers)
                        .satisfiesExactly(
                                each -> assertThat(each).isInstanceOf(Answer.Granted.class),
                                each -> assertThat(each).isInstanceOf(Answer.Granted.class),
                                each -> assertThat(each).isInstanceOf(Answer.Waiting.class),
                                each -> assertThat(each).isEqualTo(new Answer.Released(true)),
                                each -> assertThat(each).isInstanceOf(Answer.Granted.class),
                                each -> assertThat(each).isEqualTo(new Answer.Gone()),
                                each -> assertThat(each).isEqualTo(new Answer.Released(true)),
                                each -> assertThat(each).isInstanceOf(Answer.Granted.class),
                                each -> assertThat(each).isEqualTo(new Answer.Released(true)));
            }
        }
    }

    @Test
    void nobodyNoticesThatConnectionsAreKilledAndScriptsForgottenUnderLoad() throws Exception {
        Pulse.steadily(STANDSTILL, TroubleTest::expectNoticedByNobody);
    }

    private static void expectNoticedByNobody(Pulse pulse) throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Load load = new Load(List.of("one", "two", "three", "held on"), true)) {
            pulse.feel(new ServerHeart(server));
            for (int application = 0; application < 2; application++) {
                load.begin(Application.open(server.uri()), 4);
            }
            for (int round = 0; round < 30; round++) {
                load.witness().awaitProgress(load.names(), "in round " + round);
                if (round % 3 == 0) {
                    kill(admin, "normal");
                } else if (round % 3 == 1) {
                    kill(admin, "pubsub");
                }
                admin.scriptFlush();
            }
            load.end();
            assertThat(load.unavailable()).as("calls that were not answered").isEmpty();
            assertThat(load.lost()).as("leases that were lost").isZero();
        }
    }

    private static void kill(RedisClient admin, String type) {
        Administrator.order(admin, "CLIENT", "KILL", "TYPE", type);
    }
}
