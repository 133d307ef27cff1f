package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.RedisClient;

/**
 * A server that is up and refuses commands is unavailable, with its reason: a lock is never reported busy, and no lease ends before
 * its time.
 */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT)
class ServerRefusalsTest {

    static Stream<ServerRefusal> allKinds() {
        return ServerRefusal.all();
    }

    @ParameterizedTest
    @MethodSource("allKinds")
    void command_whileServerRefuses_isUnavailableWithReason(ServerRefusal refusal) throws Exception {
        try (RedisServer server = RedisServer.own(refusal.directives().toArray(String[]::new));
                RedisClient admin = server.client();
                LockStore store =
                        TestStores.store(server.uri(), refusal.settings().toArray(String[]::new))) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            long token = answered(store, acquire("held", holder), LockReply.Granted.class)
                    .token();
            answered(store, acquire("given back", holder), LockReply.Granted.class);
            answered(store, queue("held", waiter), LockReply.Queued.class);

            refusal.beginning().carryOut(admin);
            try {
                awaitRefused(store, acquire("free", id()), refusal);
                for (LockCommand command : List.of(acquire("free", id()), queue("free", id()))) {
                    expectRefused(store, command, refusal);
                }
                if (refusal.sparesHolders()) {
                    answered(store, renew("held", holder), LockReply.Granted.class);
                    assertThat(TestCommands.ask(store, release("given back", holder)))
                            .isEqualTo(new LockReply.Released(true));
                } else {
                    expectRefused(store, renew("held", holder), refusal);
                    expectRefused(store, release("given back", holder), refusal);
                }
            } finally {
                refusal.end().carryOut(admin);
            }

            Await.until("the refusal is over", () -> isGranted(store, renew("held", holder)));
            answered(store, acquire("held", id()), LockReply.Busy.class);
            assertThat(TestCommands.ask(store, release("given back", holder)))
                    .isEqualTo(new LockReply.Released(!refusal.sparesHolders()));
            assertThat(TestCommands.ask(store, release("held", holder))).isEqualTo(new LockReply.Released(true));
            assertThat(answered(store, queue("held", waiter), LockReply.Granted.class)
                            .token())
                    .isGreaterThan(token);
            answered(store, acquire("free", id()), LockReply.Granted.class);
        }
    }

    /** The next call on a killed connection fails without the server's reason. */
    private static void awaitRefused(LockStore store, LockCommand command, ServerRefusal refusal) {
        Await.until(
                "the server says " + refusal.word(),
                () -> why(store, command).getMessage().contains(refusal.word()));
    }

    private static void expectRefused(LockStore store, LockCommand command, ServerRefusal refusal) {
        assertThat(why(store, command)).as("to " + command).hasMessageContaining(refusal.word());
    }

    private static boolean isGranted(LockStore store, LockCommand command) {
        try {
            return TestCommands.ask(store, command) instanceof LockReply.Granted;
        } catch (LockUnavailableException e) {
            return false;
        }
    }

    /** The cause of the unavailability: of this command, or of the whole batch. */
    private static Throwable why(LockStore store, LockCommand command) {
        try {
            return answered(store, command, LockReply.Unavailable.class).cause();
        } catch (LockUnavailableException e) {
            return e;
        }
    }

    @Test
    void lease_whileServerRefuses_isUnconfirmedAndReleaseIsRetried() throws Exception {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Locks mine = Application.open(server.uri(), "lock.call-timeout", "1s");
                Locks others = Application.open(server.uri(), "lock.call-timeout", "1s")) {
            Lease held = Await.lease(mine.named("held").withLease(Duration.ofSeconds(30))); // renewed every ten
            Lease given = Await.lease(mine.named("given back"));

            Administrator.order(admin, "CONFIG", "SET", "min-replicas-to-write", "1");
            Application.awaitReason(mine, "NOREPLICAS");
            Application.awaitReason(others, "NOREPLICAS");
            CompletableFuture<Boolean> givenBack =
                    CompletableFuture.supplyAsync(() -> Application.isReleasedNowOrLater(given), OwnThread.EACH);
            Await.until("a renewal is in doubt", () -> held.state() == LeaseState.UNCONFIRMED);
            assertThat(held.isHeld()).isTrue();
            Administrator.order(admin, "CONFIG", "SET", "min-replicas-to-write", "0");

            assertThat(Await.result(givenBack)).isTrue();
            Await.until("a renewal is confirmed", () -> held.state() == LeaseState.HELD);
            assertThat(Application.isReleasedNowOrLater(held)).isTrue();
            for (String name : List.of("held", "given back")) {
                assertThat(Application.isReleasedNowOrLater(Await.lease(others.named(name))))
                        .isTrue();
            }
        }
    }
}
