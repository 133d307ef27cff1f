package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.testserver.FakeRedis;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * A call ends by its deadline wherever a server hangs, however long connecting may take by the settings. A call that does not end
 * runs into the timeout of the test.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadlineTest {

    private static final ScriptCall CALL =
            ScriptCall.list(new KeyLayout(new Namespace("deadline"), 1_024), new LockName("a lock"));

    private static final ConnectionSettings SETTINGS = TestSettings.with(1, Duration.ofHours(1));

    private static OwnConnections connectionsTo(FakeRedis server) {
        RedisUri uri = RedisUri.of("redis://" + address(server));
        return new OwnConnections(uri.hosts(), SETTINGS.ofServers(uri), 1);
    }

    private static HostAndPort address(FakeRedis server) {
        return new HostAndPort("127.0.0.1", server.port());
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMillis(300));
    }

    /** For a call that has to come as far as to a second node before it ends. */
    private static Deadline afterRedirection() {
        return Deadline.in(Duration.ofSeconds(4));
    }

    static Stream<UnaryOperator<String>> hanging() {
        return Stream.of(word -> "", word -> word.equals("HELLO") ? FakeRedis.WELCOME : "");
    }

    @ParameterizedTest
    @MethodSource("hanging")
    void call_toHangingServer_endsByItsDeadline(UnaryOperator<String> answers) {
        try (FakeRedis server = new FakeRedis(() -> {}, answers);
                SingleServer servers = new SingleServer(connectionsTo(server), () -> address(server), () -> {}, 1)) {
            assertThatThrownBy(() -> servers.call(List.of(CALL), soon())).isInstanceOf(JedisException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("hanging")
    void call_movedToHangingNode_endsByItsDeadline(UnaryOperator<String> answers) {
        expectEndOfCallRedirectedBy("-MOVED", answers);
    }

    @ParameterizedTest
    @MethodSource("hanging")
    void call_askedToHangingNode_endsByItsDeadline(UnaryOperator<String> answers) {
        expectEndOfCallRedirectedBy("-ASK", answers);
    }

    /** Opening is not limited as a refresh is, for which calls wait. */
    @Test
    void open_whenTheOnlyNodeIsSlow_waitsForIt() {
        AtomicReference<FakeRedis> self = new AtomicReference<>();
        try (FakeRedis node = new FakeRedis(() -> {}, word -> switch (word) {
            case "HELLO" -> FakeRedis.WELCOME;
            case "SLOTS" -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_500));
                yield allSlotsAt(self.get());
            }
            default -> "";
        })) {
            self.set(node);
            try (ClusterServers servers =
                    new ClusterServers(connectionsTo(node), 1, Deadline.in(Duration.ofMinutes(1)))) {
                assertThat(servers.shards()).isPositive();
            }
        }
    }

    private static String allSlotsAt(FakeRedis node) {
        return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + node.port() + "\r\n";
    }

    private static void expectEndOfCallRedirectedBy(String redirection, UnaryOperator<String> answers) {
        AtomicInteger connected = new AtomicInteger();
        AtomicReference<FakeRedis> self = new AtomicReference<>();
        try (FakeRedis hanging = new FakeRedis(connected::incrementAndGet, answers);
                FakeRedis node = new FakeRedis(() -> {}, word -> switch (word) {
                    case "HELLO" -> FakeRedis.WELCOME;
                    case "SLOTS" -> allSlotsAt(self.get());
                    case "EVALSHA" -> redirection + " " + CALL.slot() + " 127.0.0.1:" + hanging.port() + "\r\n";
                    default -> "";
                })) {
            self.set(node);
            try (ClusterServers servers =
                    new ClusterServers(connectionsTo(node), 1, Deadline.in(Duration.ofMinutes(1)))) {
                AtomicReference<List<Object>> replies = new AtomicReference<>();
                Await.until(
                        "the hanging node is reached",
                        () -> { // or the call ended before, as the machine stood still
                            replies.set(servers.call(List.of(CALL), afterRedirection()));
                            return connected.get() > 0;
                        });
                assertThat(replies.get())
                        .singleElement()
                        .isInstanceOf(JedisException.class)
                        .isNotInstanceOf(JedisRedirectionException.class);
            }
        }
    }
}
