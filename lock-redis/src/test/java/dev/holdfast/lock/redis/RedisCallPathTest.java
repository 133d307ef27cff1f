package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.ServerFixture;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.CallPath;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** How many calls of the store are between the engine and the socket. A longer way is longer to read and to debug. */
class RedisCallPathTest extends ServerFixture {

    private static final int TO_SOCKET = 5;
    private static final LockName NAME = new LockName("short");
    private static final AcquisitionId ID = new AcquisitionId(1, 2);
    private static final LockCommand ACQUIRE =
            new LockCommand.Acquire(NAME, ID, Duration.ofMinutes(1), true, 0, "test");
    private static final LockCommand RENEW = new LockCommand.Renew(NAME, ID, Duration.ofMinutes(1));
    private static final LockCommand RELEASE = new LockCommand.Release(NAME, ID, Duration.ZERO, Duration.ZERO);

    @Test
    void execute_onOwnConnections_reachesTheSocketWithinFiveCalls() throws Exception {
        try (FaultyProxy proxy = new FaultyProxy(server.address());
                LockStore store = TestStores.store("redis://127.0.0.1:" + proxy.port())) {
            assertPathsAreShort(store, proxy);
        }
    }

    @Test
    void execute_onTheApplicationsClient_reachesTheSocketWithinFiveCalls() throws Exception {
        try (FaultyProxy proxy = new FaultyProxy(server.address());
                RedisClient client = RedisClient.builder()
                        .hostAndPort("127.0.0.1", proxy.port())
                        .clientConfig(server.clientConfig())
                        .build();
                LockStore store = TestStores.on(client, new Namespace("default"))) {
            assertPathsAreShort(store, proxy);
        }
    }

    private static void assertPathsAreShort(LockStore store, FaultyProxy proxy) throws Exception {
        for (LockCommand command : List.of(ACQUIRE, RENEW, RELEASE)) {
            LockReply first = store.execute(List.of(command), Await.HANG).get(0);
            assertThat(first).isNotInstanceOf(LockReply.Unavailable.class); // the script is known from now on
            assertThat(pathWhileWaiting(store, command, proxy).calls())
                    .as("the way of %s", command)
                    .hasSizeLessThanOrEqualTo(TO_SOCKET);
        }
    }

    /** The calls of a thread that waits at the socket for the reply to this command. */
    private static CallPath pathWhileWaiting(LockStore store, LockCommand command, FaultyProxy proxy) throws Exception {
        proxy.hold(Direction.TO_CLIENT);
        FutureTask<List<LockReply>> call = new FutureTask<>(() -> store.execute(List.of(command), Await.HANG));
        Thread thread = new Thread(call, "call-path");
        thread.start();
        try {
            assertThat(proxy.awaitHeld(Direction.TO_CLIENT, Await.HANG)).isTrue();
            Await.until("the thread reads from its socket", () -> isReading(thread));
            return CallPath.of(thread, RedisCallPathTest.class).from("RedisLockStore.execute");
        } finally {
            proxy.pass();
            call.get();
        }
    }

    private static boolean isReading(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals("java.net.Socket$SocketInputStream")
                        && frame.getMethodName().equals("read"));
    }
}
