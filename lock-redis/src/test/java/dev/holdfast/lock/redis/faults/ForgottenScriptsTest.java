package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.script.Script;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.RedisClient;

/** Commands on one lock in one batch keep their order, whichever scripts the server has forgotten. */
class ForgottenScriptsTest {

    /** Too many for a server to read at once: between two of them, others have their turn. */
    private static final int NAMES = 200;

    private static final int ROUNDS = 2 * Integer.getInteger("lock.test.scale", 1);

    private static RedisServer server;
    private static RedisClient admin;

    @BeforeAll
    static void start() {
        server = RedisServer.own();
        admin = server.client();
    }

    @AfterAll
    static void stop() {
        admin.close();
        server.close();
    }

    static Stream<List<Script>> known() {
        return Stream.of(
                List.of(),
                List.of(Script.ACQUIRE),
                List.of(Script.RENEW),
                List.of(Script.RELEASE),
                List.of(Script.HANDOFF),
                List.of(Script.LOCK_SET));
    }

    @ParameterizedTest
    @MethodSource("known")
    void commandsOnOneLock_withForgottenScripts_keepTheirOrder(List<Script> known) {
        try (LockStore store = TestStores.store(server.uri())) {
            String name = "known: " + known;
            AcquisitionId first = id();
            AcquisitionId second = id();
            AcquisitionId third = id();

            forgetAllBut(known);
            assertThat(store.execute(List.of(acquire(name, first), release(name, first)), CALL))
                    .satisfiesExactly(ForgottenScriptsTest::isGranted, ForgottenScriptsTest::isReleased);

            answered(store, acquire(name, second), LockReply.Granted.class);
            forgetAllBut(known);
            assertThat(store.execute(List.of(release(name, second), acquire(name, third), renew(name, third)), CALL))
                    .satisfiesExactly(
                            ForgottenScriptsTest::isReleased,
                            ForgottenScriptsTest::isGranted,
                            ForgottenScriptsTest::isGranted);

            LockCommand doubtful =
                    new LockCommand.Release(new LockName(name), third, Duration.ZERO, Duration.ofMinutes(1));
            forgetAllBut(known);
            assertThat(store.execute(List.of(doubtful, acquire(name, id())), CALL))
                    .satisfiesExactly(ForgottenScriptsTest::isReleased, ForgottenScriptsTest::isGranted);
        }
    }

    @Test
    void queuedCommands_withForgottenScripts_keepTheirOrder() {
        try (LockStore store = TestStores.store(server.uri())) {
            AcquisitionId first = id();
            AcquisitionId second = id();
            forgetAllBut(List.of());

            List<LockReply> replies = store.execute(
                    List.of(
                            acquire("queue", first),
                            renew("queue", first),
                            queue("queue", second),
                            release("queue", first),
                            queue("queue", second),
                            renew("queue", first),
                            release("queue", second)),
                    CALL);

            assertThat(replies)
                    .satisfiesExactly(
                            ForgottenScriptsTest::isGranted,
                            ForgottenScriptsTest::isGranted,
                            reply -> assertThat(reply).isInstanceOf(LockReply.Queued.class),
                            ForgottenScriptsTest::isReleased,
                            ForgottenScriptsTest::isGranted,
                            reply -> assertThat(reply).isEqualTo(new LockReply.Gone()),
                            ForgottenScriptsTest::isReleased);
        }
    }

    private static void forgetAllBut(List<Script> known) {
        admin.scriptFlush();
        known.forEach(each -> assertThat(admin.scriptLoad(each.standalone().text()))
                .isEqualTo(each.standalone().sha()));
    }

    @Test
    void release_whileScriptsAreForgotten_neverPrecedesItsAcquire() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> forgetting = CompletableFuture.runAsync(() -> forgetUntil(over), OwnThread.EACH);
        try {
            List<CompletableFuture<Void>> applications = new ArrayList<>();
            for (int application = 0; application < 3; application++) {
                String names = "of " + application + ": ";
                applications.add(CompletableFuture.runAsync(() -> acquireAndRelease(names), OwnThread.EACH));
            }
            for (CompletableFuture<Void> each : applications) {
                Await.result(each);
            }
        } finally {
            over.set(true);
            Await.result(forgetting);
        }
        assertThat(admin.keys("*:lock:of *")).as("what is still held").isEmpty();
    }

    private static void forgetUntil(AtomicBoolean over) {
        try (RedisClient forgetful = server.client()) {
            while (!over.get()) {
                forgetful.scriptFlush();
            }
        }
    }

    private static void acquireAndRelease(String names) {
        try (LockStore store = TestStores.store(server.uri())) {
            for (int round = 0; round < ROUNDS; round++) {
                List<LockCommand> commands = new ArrayList<>();
                for (int name = 0; name < NAMES; name++) {
                    AcquisitionId id = id();
                    commands.add(acquire(names + name, id));
                    commands.add(release(names + name, id));
                }
                List<LockReply> replies = store.execute(commands, Duration.ofMinutes(1));
                for (int at = 0; at < commands.size(); at += 2) {
                    isGranted(replies.get(at));
                    isReleased(replies.get(at + 1));
                }
            }
        }
    }

    private static void isGranted(LockReply reply) {
        assertThat(reply).isInstanceOf(LockReply.Granted.class);
    }

    private static void isReleased(LockReply reply) {
        assertThat(reply).isEqualTo(new LockReply.Released(true));
    }
}
