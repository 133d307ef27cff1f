package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A thousand callers of one process wait for a lock that another one holds. */
@Tag("first-build")
class QuietWaitingTest {

    private static final int WAITERS = 1_000;
    private static final Duration HELD =
            Duration.ofSeconds(8L + Math.min(22, Integer.getInteger("lock.test.scale", 1)));

    /** To subscribe and to queue; after that a waiter asks every five seconds. */
    private static final int AT_FIRST = 6;

    @Test
    void waiters_ofOneProcess_takeOnePlaceAndHardlyAnyCommand() throws Exception {
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        try (RedisServer server = RedisServer.own();
                Locks others = open(server);
                Locks locks = open(server);
                CommandRecorder commands = new CommandRecorder(server)) {
            locks.named("first").acquire().close(); // connects
            Lease before = others.named("job").acquire();
            commands.forget();
            long from = System.nanoTime();

            for (int waiter = 0; waiter < WAITERS; waiter++) {
                waiters.add(locks.named("job").acquireAsync(Duration.ofMinutes(5)));
            }
            while (System.nanoTime() - from < HELD.toNanos()) {
                LockSupport.parkNanos(HELD.toNanos() - (System.nanoTime() - from));
            }
            List<CommandRecorder.Seen> sent = commands.all();
            Duration passed = Duration.ofNanos(System.nanoTime() - from);

            assertThat(sent)
                    .as("commands in %s", passed)
                    .hasSizeLessThanOrEqualTo(AT_FIRST + Math.toIntExact(passed.toSeconds() / 4));
            assertThat(waiters).noneMatch(CompletableFuture::isDone);
            assertThat(places(server)).isEqualTo(1);
            before.close();
            for (CompletableFuture<Lease> waiter : waiters) {
                Await.result(waiter).close();
            }
            assertThat(places(server)).isZero();
        }
    }

    /** Leases are renewed later than this test lasts. */
    private static Locks open(RedisServer server) {
        return LocksOpener.open(TestStores.settings(server.uri(), "lock.lease", "30m", "lock.call-timeout", "1m"));
    }

    /** Asked by a new client. */
    private static long places(RedisServer server) {
        try (RedisClient client = server.client()) {
            return client.zcard("holdfast:{default:0}:queue:job");
        }
    }
}
