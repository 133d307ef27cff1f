package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import redis.clients.jedis.RedisClient;

/** Closing a store that uses sentinels. */
@Isolated // threads of other tests must not come and go meanwhile
class ClosedSentinelStoreTest {

    @Test
    void close_ofSentinelStore_leavesNoThreadAndNoConnection() throws Exception {
        try (Sentinels sentinels = Sentinels.start(Account.directive())) {
            OwnThreads threads = new OwnThreads();
            List<RedisServer> master = List.of(sentinels.master());
            threads.call(() -> {
                ReceivedSignals heard = new ReceivedSignals();
                try (LockStore store = TestStores.store(Account.in(sentinels.uri()))) {
                    AutoCloseable unused = store.subscribe(heard);
                    heard.await(Notification.ANY, 0);
                    answered(store, acquire("requested", id()), LockReply.Granted.class);
                    Await.until("each sentinel is asked", () -> asking(sentinels) == 3);
                    assertThat(Account.connections(master)).isGreaterThanOrEqualTo(2);
                    assertThat(threads.names()).contains("holdfast-notifications", "holdfast-redis-sentinel");
                }
                return null;
            });

            threads.awaitEnd();
            Await.until("no connection is left", () -> Account.connections(master) == 0);
            Await.until("no sentinel is asked", () -> asking(sentinels) == 0);
        }
    }

    /** All others have names, or ask for this. */
    private static long asking(Sentinels sentinels) {
        long asking = 0;
        for (RedisServer sentinel : sentinels.sentinels()) {
            try (RedisClient admin = sentinel.client()) {
                asking += Administrator.clients(admin)
                        .filter(client -> client.contains(" cmd=sentinel"))
                        .filter(client -> client.contains(" name= "))
                        .count();
            }
        }
        return asking;
    }
}
