package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Always;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisClient;

/** A server forgets all that it was told: tokens rise, whoever held a lock is told, and whoever waits has its turn. */
@Timeout(300)
class ForgottenLocksTest {

    private static final int WAITERS = 20;

    /** Not enough for a lease to be lost. */
    private static final Duration STANDSTILL = Duration.ofSeconds(1);

    @Test
    void soItIsWhenSomebodyFlushesIt() throws Exception {
        expectLossesAndTurns(server -> {
            try (RedisClient client = server.client()) {
                client.flushAll();
            }
        });
    }

    @Test
    void soItIsWhenItStartsWithAnEmptyDisk() throws Exception {
        expectLossesAndTurns(RedisServer::wipe);
    }

    private static void expectLossesAndTurns(Consumer<RedisServer> forgetting) throws Exception {
        Pulse.steadily(STANDSTILL, pulse -> expectLossesAndTurns(forgetting, pulse));
    }

    private static void expectLossesAndTurns(Consumer<RedisServer> forgetting, Pulse pulse) throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        try (RedisServer server = RedisServer.own();
                Locks locks = open(server);
                Locks others = open(server)) {
            pulse.feel(new ServerHeart(server));
            DistributedLock lock = locks.named("job");
            for (int pair = 0; pair < 1_000; pair++) {
                lock.acquire().close();
            }
            Lease held = lock.acquire();
            held.onLost(loss -> told.add(loss.getMessage()));
            List<CompletableFuture<Long>> waiters = new ArrayList<>();
            for (int waiter = 0; waiter < WAITERS; waiter++) {
                waiters.add((waiter % 2 == 0 ? locks : others)
                        .named("job")
                        .acquireAsync(Duration.ofMinutes(2))
                        .thenApply(ForgottenLocksTest::tokenOf));
            }
            try (RedisClient client = server.client()) {
                Awaiting.until("the others wait", () -> client.zcard("holdfast:{default:0}:queue:job") == 1);
            }

            pulse.leave();
            forgetting.accept(server);

            Awaiting.until("the holder is told", () -> told.size() == 1);
            assertThat(held.state()).isEqualTo(LeaseState.LOST);
            List<Long> later = new ArrayList<>();
            for (CompletableFuture<Long> waiter : waiters) {
                later.add(waiter.get(2, TimeUnit.MINUTES));
            }
            Always.holds(
                    () -> assertThat(later).doesNotHaveDuplicates().allMatch(token -> token > held.fencingToken()));
            try (Lease last = lock.acquire(Duration.ofMinutes(1))) {
                Always.holds(() -> assertThat(last.fencingToken()).isGreaterThan(Collections.max(later)));
            }
        }
        Always.holds(() -> assertThat(told).hasSize(1));
    }

    private static long tokenOf(Lease lease) {
        try (lease) {
            return lease.fencingToken();
        }
    }

    private static Locks open(RedisServer server) {
        Properties properties = RedisContract.configuration(server.uri());
        properties.setProperty("lock.lease", "3s"); // renewed each second
        return Locks.open(properties);
    }
}
