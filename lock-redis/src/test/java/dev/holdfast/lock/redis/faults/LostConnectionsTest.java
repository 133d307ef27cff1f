package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A server that ends connections, in the middle of anything. */
@Tag("first-build")
class LostConnectionsTest extends ServerFixture {

    private static final int ROUNDS = 12 * Integer.getInteger("lock.test.scale", 1);

    private void kill(String type) {
        Administrator.order(admin, "CLIENT", "KILL", "TYPE", type);
    }

    @Test
    void notifications_afterConnectionKilled_resume() throws Exception {
        try (RedisClient client = server.client();
                LockStore store = Application.store(client)) {
            ReceivedSignals heard = new ReceivedSignals();
            AutoCloseable subscription = store.subscribe(heard);
            heard.await(Notification.ANY, 0);
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            answered(store, acquire("signalled", holder), LockReply.Granted.class);
            answered(store, queue("signalled", waiter), LockReply.Queued.class);

            int before = heard.count();
            kill("pubsub");

            heard.await(Notification.ANY, before); // what was told in the gap is lost
            answered(store, release("signalled", holder), LockReply.Released.class);
            heard.await(Notification.of(new LockName("signalled"), waiter), before);
            subscription.close();
        }
    }

    @Test
    void waiter_withLostNotification_isServed() throws Exception {
        try (Locks mine = Application.open(server.uri());
                Locks others = Application.open(server.uri())) {
            for (int round = 0; round < 4; round++) {
                Lease lease = mine.named("handed over").acquire();
                CompletableFuture<Lease> waiter = others.named("handed over").acquireAsync(Duration.ofMinutes(3));
                Await.until("one waits", () -> Application.waiting(admin, "handed over") == 1);

                kill("pubsub");
                assertThat(lease.release()).isTrue();

                assertThat(Await.result(waiter).release()).isTrue();
            }
        }
    }

    @Test
    void load_withKilledConnectionsAndForgottenScripts_failsNoCallAndLosesNoLease() throws Exception {
        History history = new History();
        String[] patience = {"lock.lease", "60s", "lock.call-timeout", "30s"};
        try (Locks one = Application.open(server.uri(), patience);
                Locks other = Application.open(server.uri(), patience);
                Contenders contenders = new Contenders(history, List.of("one", "two", "three"), 1);
                LongHolders holders = new LongHolders(history, "held on")) {
            contenders.begin("one", one, 4);
            contenders.begin("other", other, 4);
            holders.begin("one", one);
            holders.begin("other", other);
            for (int round = 0; round < ROUNDS; round++) {
                contenders.awaitProgress("in round " + round);
                if (round % 3 == 0) {
                    kill("normal");
                } else if (round % 3 == 1) {
                    kill("pubsub");
                }
                admin.scriptFlush();
            }
            contenders.end();
            holders.end();
            history.verify(3 * ROUNDS);
            assertThat(contenders.unavailable()).isEmpty();
            assertThat(holders.unavailable()).isEmpty();
            assertThat(holders.lost()).as("leases that were lost").isZero();
        }
    }
}
