package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OutageLines;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import redis.clients.jedis.RedisClient;

/** A server that crashes, and comes back with its data. */
@Tag("first-build")
class RestartedServerTest {

    private static final Duration WAIT = Duration.ofMinutes(3);

    @Test
    void lease_acrossRestart_isHeldAndReleased() throws Exception {
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (Locks mine = open(server);
                    Locks others = open(server)) {
                Lease lease = mine.named("kept").acquire();
                CompletableFuture<Lease> waiter = others.named("kept").acquireAsync(WAIT);
                try (RedisClient admin = server.client()) {
                    Await.until("one waits", () -> Application.waiting(admin, "kept") == 1);
                }

                long token = tokenOfHolder(server);
                server.kill();
                server.start();

                assertThat(tokenOfHolder(server)).isEqualTo(token);
                assertThat(others.named("kept").tryAcquire()).isEmpty();
                assertThat(waiter).isNotDone();
                assertThat(lease.release()).isTrue();
                Lease next = Await.result(waiter);
                assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
                assertThat(next.release()).isTrue();
            }
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void outage_underALease_isLoggedOncePerState() {
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            OutageLines.areLogged(TestStores.settings(server.uri()), server::kill, server::start);
        }
    }

    /** It waits 150 us after each write that it reads, and answers after each thousand of them. */
    @Test
    void locks_whileServerLoads_areUnavailableAndNothingIsLost() throws Exception {
        try (RedisServer server = RedisServer.own("key-load-delay 150")) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            try (Locks mine = open(server);
                    LockStore store = TestStores.store(server.uri())) {
                Lease lease = mine.named("kept").acquire();
                try (RedisClient admin = server.client()) {
                    admin.eval("for i = 1, 20000 do redis.call('SET', 'key', i) end");
                }
                server.kill();
                CompletableFuture<Void> start = CompletableFuture.runAsync(server::start, OwnThread.EACH);
                Await.until("the server says LOADING", () -> why(store).contains("LOADING")); // before, nothing listens
                Await.result(start);

                assertThat(lease.release()).isTrue();
                assertThat(mine.named("kept").acquire(WAIT).release()).isTrue();
            }
        }
    }

    private static long tokenOfHolder(RedisServer server) {
        try (LockStore store = TestStores.store(new Namespace("default"), server.uri());
                Stream<LockInfo> locks = store.list("kept", Duration.ofSeconds(30))) {
            return locks.findFirst().flatMap(LockInfo::holder).orElseThrow().token();
        }
    }

    private static String why(LockStore store) {
        try {
            return TestCommands.answered(
                            store, TestCommands.acquire("free", TestCommands.id()), LockReply.Unavailable.class)
                    .cause()
                    .getMessage();
        } catch (LockUnavailableException e) {
            return e.getMessage();
        }
    }

    private static Locks open(RedisServer server) {
        return Application.open(server.uri(), "lock.lease", "5m", "lock.call-timeout", "30s");
    }
}
