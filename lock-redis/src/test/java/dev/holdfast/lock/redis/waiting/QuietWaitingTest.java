package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/** A thousand of one process wait for a lock that another one holds for half a minute. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class QuietWaitingTest {

    private static final int WAITERS = 1_000;
    private static final int COMMANDS = 10;
    private static final Duration HELD = Duration.ofSeconds(30);

    /** A moment before: whoever keeps its place every so often does so at the full time, and has another one begun. */
    private static final Duration LOOK = HELD.minusMillis(100);

    /** Whoever is not answered for longer asks again. */
    private static final Duration STANDSTILL = Duration.ofSeconds(1);

    @Test
    void theyAreOnePlaceInTheQueueAndHardlyACommand() throws Exception {
        Pulse.steadily(STANDSTILL, QuietWaitingTest::expectHardlyACommand);
    }

    private static void expectHardlyACommand(Pulse pulse) throws Exception {
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        try (RedisServer server = RedisServer.own();
                Locks others = new Redis(server).open("lock.lease", "10m"); // it renews later than this test lasts
                Locks locks = new Redis(server).open();
                Commands commands = new Commands(server)) {
            pulse.feel(new ServerHeart(server));
            locks.named("first").acquire().close(); // connects
            Lease before = others.named("job").acquire();
            commands.forget();
            long from = System.nanoTime();

            for (int waiter = 0; waiter < WAITERS; waiter++) {
                waiters.add(locks.named("job").acquireAsync(Duration.ofMinutes(5)));
            }
            Duration passed = Duration.ZERO;
            while (passed.compareTo(LOOK) < 0) {
                LockSupport.parkNanos(LOOK.minus(passed).toNanos());
                passed = Duration.ofNanos(System.nanoTime() - from);
            }
            List<Commands.Seen> sent = commands.all();
            passed = Duration.ofNanos(System.nanoTime() - from);

            long begun = passed.dividedBy(HELD) + 1;
            assertThat(sent).as("commands in %s", passed).hasSizeLessThanOrEqualTo((int) begun * COMMANDS);
            assertThat(waiters).noneMatch(CompletableFuture::isDone);
            assertThat(places(server)).isEqualTo(1);
            before.close();
            for (CompletableFuture<Lease> waiter : waiters) {
                waiter.get(1, TimeUnit.MINUTES).close();
            }
            assertThat(places(server)).isZero();
        }
    }

    /** Asked by a client that has said nothing before. */
    private static long places(RedisServer server) {
        try (RedisClient client = server.client()) {
            return client.zcard("holdfast:{default:0}:queue:job");
        }
    }
}
