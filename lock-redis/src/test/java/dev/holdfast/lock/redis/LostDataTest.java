package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/**
 * A server loses all its data: tokens rise, the holder learns of its loss, and each waiter gets the lock. For a while the old
 * holder still believes that it holds the lock, which plain Redis does not promise to prevent: tokens are judged, exclusion is not.
 */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT)
class LostDataTest {

    private static final int WAITERS = 20;
    private static final Duration WAIT = Duration.ofMinutes(3);

    @Test
    void flush_withHolderAndWaiters_losesLeaseAndServesWaitersWithGreaterTokens() throws Exception {
        expectLossesAndTurns(server -> {
            try (RedisClient client = server.client()) {
                client.flushAll();
            }
        });
    }

    @Test
    void restartWithoutData_withHolderAndWaiters_losesLeaseAndServesWaitersWithGreaterTokens() throws Exception {
        expectLossesAndTurns(RedisServer::wipe);
    }

    private static void expectLossesAndTurns(Consumer<RedisServer> forgetting) throws Exception {
        History history = new History();
        List<String> told = new CopyOnWriteArrayList<>();
        try (RedisServer server = RedisServer.own();
                Locks locks = open(server);
                Locks others = open(server)) {
            DistributedLock lock = locks.named("job");
            for (int pair = 0; pair < 100; pair++) {
                lock.acquire().close();
            }
            Lease held = lock.withLease(Duration.ofSeconds(30)).acquire(); // renewed every ten
            history.claimsOf("held").hold(held);
            held.onLost(loss -> told.add(loss.getMessage()));
            List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
            for (int waiter = 0; waiter < WAITERS; waiter++) {
                Claims claims = history.claimsOf("waiter " + waiter);
                waiters.add((waiter % 2 == 0 ? locks : others)
                        .named("job")
                        .acquireAsync(WAIT)
                        .thenApply(lease -> claims.hold(lease) && lease.release()));
            }
            try (RedisClient client = server.client()) {
                Await.until("the others wait", () -> client.zcard("holdfast:{default:0}:queue:job") == 1);
            }

            forgetting.accept(server);

            Await.until("the holder is told", () -> told.size() == 1);
            assertThat(held.state()).isEqualTo(LeaseState.LOST);
            for (CompletableFuture<Boolean> waiter : waiters) {
                assertThat(Await.result(waiter)).isTrue();
            }
            try (Lease last = lock.acquire(WAIT)) {
                history.claimsOf("last").hold(last);
            }
        }
        assertThat(told).hasSize(1);
        history.verifyTokens(WAITERS + 2);
        assertThat(History.violations(history.holds().stream()
                        .filter(hold -> !hold.holder().equals("held"))
                        .toList()))
                .as("of those that were granted after the server forgot")
                .isEmpty();
    }

    private static Locks open(RedisServer server) {
        Properties properties = TestStores.settings(server.uri());
        properties.setProperty("lock.lease", "5m");
        properties.setProperty("lock.call-timeout", "30s");
        return LocksOpener.open(properties);
    }
}
