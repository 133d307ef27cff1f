package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;

/** A name that is no longer used costs the server nothing. */
class NamesUsedOnceTest {

    private static final int NAMES = 5_000 * Integer.getInteger("lock.test.scale", 1);
    private static final int THREADS = 8;
    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void names_usedOnce_leaveOneCounterAndNoMemory() throws Exception {
        // Changes that wait for a disk and the log of slow commands take memory, too.
        try (RedisServer server = RedisServer.own("appendonly no", "slowlog-max-len 0");
                RedisClient client = server.client();
                Locks locks = open(server)) {
            use(locks, 0, 500); // connections and scripts take memory, and stay
            awaitNothingButTheCounter(client);
            long before = memory(client);

            use(locks, 500, 500 + NAMES);

            awaitNothingButTheCounter(client);
            // Awaited: the server subtracts the buffers of its connections by a count that lags behind.
            Await.until(
                    NAMES + " names leave less than the twenty bytes that a key takes at least",
                    () -> memory(client) - before < 20L * NAMES);
        }
    }

    private static Locks open(RedisServer server) {
        Properties settings = TestStores.settings(server.uri());
        settings.setProperty("lock.lease", "5m");
        settings.setProperty("lock.call-timeout", "1m");
        return LocksOpener.open(settings);
    }

    /** Uses each name once; every tenth with a minimum hold, which expires. */
    private static void use(Locks locks, int from, int to) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = from + thread;
                parts.add(threads.submit(() -> {
                    for (int number = first; number < to; number += THREADS) {
                        DistributedLock lock = locks.named("job " + number);
                        (number % 10 == 0 ? lock.withMinimumHold(SHORT) : lock)
                                .acquire()
                                .close();
                    }
                    return null;
                }));
            }
            for (Future<?> part : parts) {
                Await.result(part);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Redis removes expired keys gradually. */
    private static void awaitNothingButTheCounter(RedisClient client) {
        Await.until("one key is left", () -> client.dbSize() == 1);
        assertThat(client.keys("*")).containsExactly("holdfast:{default:0}:token");
    }

    private static long memory(RedisClient client) {
        client.executeCommand(new CommandArguments(Command.MEMORY).add("PURGE"));
        String info = client.info("memory");
        Matcher line = Pattern.compile("used_memory_dataset:(\\d+)").matcher(info);
        assertThat(line.find()).as(info).isTrue();
        return Long.parseLong(line.group(1));
    }
}
