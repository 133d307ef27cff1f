package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/** How many commands a lock costs, as the server counts them. */
@Execution(ExecutionMode.CONCURRENT)
class CountedCommandsTest {

    private static final int PAIRS = 100;

    /** The commands of clients, in the words of the server's statistics. */
    private static final Set<String> BY_CLIENTS = Set.of("evalsha", "info");

    /** A lease of this length is renewed later than these tests last. */
    private static final String NOT_RENEWED = "10m";

    /** A waiter keeps its place so often, however slow the machine is. */
    private static final Duration PLACE_KEPT = Duration.ofSeconds(4);

    private RedisServer server;
    private RedisClient client;

    @BeforeEach
    void startServer() {
        server = RedisServer.own();
        client = server.client();
    }

    @AfterEach
    void stopServer() {
        client.close();
        server.close();
    }

    /** Locks with an open connection and loaded scripts. */
    private Locks open() throws InterruptedException {
        Locks locks = LocksOpener.open(
                TestStores.settings(server.uri(), "lock.lease", NOT_RENEWED, "lock.call-timeout", "1m"));
        locks.named("first").acquire().close();
        return locks;
    }

    @Test
    void uncontendedPair_takesTwoCommands() throws Exception {
        try (Locks locks = open();
                CommandRecorder commands = new CommandRecorder(server)) {
            DistributedLock lock = locks.named("job");

            for (int pair = 0; pair < PAIRS; pair++) {
                lock.acquire().close();
            }

            assertThat(sent(commands)).hasSize(2 * PAIRS);
        }
    }

    @Test
    void uncontendedScripts_callAtMostFourCommands() throws Exception {
        try (Locks locks = open()) {
            DistributedLock lock = locks.named("job");
            long before = carriedOut();
            Lease lease = lock.acquire();
            long acquired = carriedOut();
            lease.close();
            long released = carriedOut();

            assertThat(acquired - before).as("calls to acquire").isBetween(1L, 4L);
            assertThat(released - acquired).as("calls to release").isBetween(1L, 4L);
        }
    }

    /** The commands that scripts called, and no others. */
    private long carriedOut() {
        Matcher line = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)").matcher(client.info("commandstats"));
        return line.results()
                .filter(each -> !BY_CLIENTS.contains(each.group(1)))
                .mapToLong(each -> Long.parseLong(each.group(2)))
                .sum();
    }

    @Test
    void contendedAcquire_takesAtMostThreeCommands() throws Exception {
        try (Locks one = open();
                Locks other = open();
                CommandRecorder commands = new CommandRecorder(server)) {
            Lease lease = one.named("job").acquire();
            commands.forget();
            long start = System.nanoTime();

            for (int turn = 1; turn <= PAIRS; turn++) {
                CompletableFuture<Lease> next =
                        (turn % 2 == 0 ? one : other).named("job").acquireAsync();
                Await.until("the other waits", () -> places("job") == 1);
                lease.close();
                lease = Await.result(next);
            }

            assertThat(sent(commands)).hasSizeLessThanOrEqualTo((3 + 1) * PAIRS + placesKept(start));
            lease.close();
        }
    }

    @Test
    void pairUnderConstantContention_takesAtMostFourCommands() throws Exception {
        try (Locks one = open();
                Locks other = open();
                CommandRecorder commands = new CommandRecorder(server)) {
            long start = System.nanoTime();
            List<CompletableFuture<Void>> both = Stream.of(one, other)
                    .map(locks -> CompletableFuture.runAsync(() -> pairs(locks.named("job")), OwnThread.EACH))
                    .toList();
            for (CompletableFuture<Void> each : both) {
                Await.result(each);
            }

            assertThat(sent(commands)).hasSizeLessThanOrEqualTo((3 + 1) * 2 * PAIRS + 2 * placesKept(start));
        }
    }

    private static int placesKept(long start) {
        return Math.toIntExact((System.nanoTime() - start) / PLACE_KEPT.toNanos());
    }

    private static void pairs(DistributedLock lock) {
        for (int pair = 0; pair < PAIRS; pair++) {
            try (Lease lease = lock.acquire(Duration.ofMinutes(3))) {
                lease.ensureHeld();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private long places(String name) {
        return client.zcard("holdfast:{default:0}:queue:" + name);
    }

    /** All commands but those of these tests. */
    private static List<CommandRecorder.Seen> sent(CommandRecorder commands) {
        return commands.all().stream()
                .filter(each -> !each.name().equals("ZCARD"))
                .toList();
    }
}
