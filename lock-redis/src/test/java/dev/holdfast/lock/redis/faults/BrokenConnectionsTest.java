package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** The replacement of a broken connection, and the idle connections beside it. */
@Tag("first-build")
class BrokenConnectionsTest extends ServerFixture {

    private static final Duration SHORT = Duration.ofMillis(300);

    private static final Executor THREADS = task -> {
        Thread thread = new Thread(task, "broken-connections");
        thread.setDaemon(true);
        thread.start();
    };

    private final LockCommand.Acquire command = acquire("requested", id());

    private FaultyProxy proxy;

    @BeforeEach
    void start() {
        proxy = new FaultyProxy(server.address());
    }

    @AfterEach
    void stop() {
        proxy.close();
    }

    @Test
    void brokenConnection_isReplacedByTheNextCallOnly() {
        try (LockStore store = TestStores.store(ProxiedRedis.uri(server, proxy))) {
            answered(store, command, LockReply.Granted.class);
            long before = Administrator.connectionsMade(admin);
            silence();

            assertThatThrownBy(() -> store.execute(List.of(command), SHORT))
                    .isInstanceOf(LockUnavailableException.class);

            assertThat(Administrator.connectionsMade(admin)).isEqualTo(before);
            proxy.pass();
            answered(store, command, LockReply.Granted.class);
            assertThat(Administrator.connectionsMade(admin)).isEqualTo(before + 1);
        }
    }

    /** The pool is the application's, and so are the timeouts with which it connects: here they never end. */
    @Test
    void call_onApplicationsPool_doesNotWaitForReplacementOfBrokenConnection() throws Exception {
        try (RedisClient client = RedisClient.builder()
                        .hostAndPort("127.0.0.1", proxy.port())
                        .clientConfig(DefaultJedisClientConfig.builder()
                                .timeoutMillis(0)
                                .build())
                        .build();
                LockStore store = Application.store(client)) {
            answered(store, command, LockReply.Granted.class);
            silence();

            CompletableFuture<List<LockReply>> call =
                    CompletableFuture.supplyAsync(() -> store.execute(List.of(command), SHORT), THREADS);

            assertThatThrownBy(() -> Await.result(call)).hasCauseInstanceOf(LockUnavailableException.class);
            proxy.pass();
            answered(store, command, LockReply.Granted.class);
        }
    }

    @Test
    void idleConnections_afterServerRestart_failOnlyTheFirstCall() throws Exception {
        assumeThat(server.canFail()).as("this server may be broken").isTrue();
        // Opening a connection lasts as long as the proxy holds the handshakes back.
        try (LockStore store = TestStores.store(ProxiedRedis.uri(server, proxy), "lock.redis.timeout", "60s")) {
            makeConnections(store, 5);
            server.kill();
            assertThatThrownBy(() -> store.execute(List.of(command), CALL))
                    .isInstanceOf(LockUnavailableException.class);
            server.start();

            answered(store, command, LockReply.Granted.class);
        }
    }

    /** So many calls at a time, which all get a connection before the first is answered. */
    private void makeConnections(LockStore store, int count) throws Exception {
        silence();
        List<CompletableFuture<List<LockReply>>> calls = new ArrayList<>();
        for (int call = 0; call < count; call++) {
            calls.add(CompletableFuture.supplyAsync(
                    () -> store.execute(List.of(command), Duration.ofMinutes(3)), THREADS));
        }
        Await.until("each has a connection", () -> proxy.connections() == count);
        proxy.pass();
        for (CompletableFuture<List<LockReply>> each : calls) {
            assertThat(Await.result(each)).singleElement().isInstanceOf(LockReply.Granted.class);
        }
        assertThat(proxy.connections()).as("that idle").isEqualTo(count);
    }

    private void silence() {
        proxy.hold(Direction.TO_SERVER);
        proxy.hold(Direction.TO_CLIENT);
    }
}
