package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.script.KeyLayout;
import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** No call reads the reply to another one, and no call waits for a peer that has stopped reading. */
@Timeout(180)
class PipelineTest {

    private static final ScriptCall LIST = ScriptCall.list(
            new KeyLayout(new Namespace("exchange"), 1), new LockName("a name that is not short ".repeat(10)));

    private RedisServer server;
    private HostAndPort address;
    private OwnConnections connections;

    @BeforeEach
    void start() {
        server = RedisServer.own();
        address = new HostAndPort("127.0.0.1", server.port());
        connections = new OwnConnections(
                Set.of(),
                DefaultJedisClientConfig.builder()
                        .from(server.clientConfig())
                        .resp2()
                        .build(),
                1);
    }

    @AfterEach
    void stop() {
        connections.close();
        server.close();
    }

    @Test
    void connection_withUnreadReply_isNotReused() {
        try (Pipeline abandoned = new Pipeline(connections.borrow(address, patiently()), List.of(LIST, LIST))) {
            abandoned.send();
        }
        try (BorrowedConnection next = connections.borrow(address, patiently())) {
            assertThat(next.connection().ping()).isTrue();
        }
    }

    @Test
    void ask_whenQuestionFails_connectionIsNotReused() {
        assertThatThrownBy(() -> connections.ask(
                        address,
                        connection -> {
                            connection.sendCommand(LIST.byText());
                            connection.getMany(0);
                            throw new IllegalStateException("in between");
                        },
                        patiently()))
                .hasMessage("in between");
        try (BorrowedConnection next = connections.borrow(address, patiently())) {
            assertThat(next.connection().ping()).isTrue();
        }
    }

    @Test
    void pipeline_largerThanSocketBuffer_isAnswered() {
        List<ScriptCall> many = Collections.nCopies(5_000, LIST);
        try (Pipeline pipeline = new Pipeline(connections.borrow(address, patiently()), many)) {
            pipeline.send();
            assertThat(pipeline.receive(patiently())).hasSize(5_000).allMatch(List.class::isInstance);
        }
    }

    /** Far more than the buffers of both sides hold: a write of all at once would block until the server resumes. */
    @Test
    @Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pipeline_toServerThatDoesNotRead_failsByItsDeadline() {
        List<ScriptCall> many = Collections.nCopies(20_000, LIST);
        connections.borrow(address, patiently()).close(); // so that there is a connection
        server.freeze();
        try {
            assertThatThrownBy(() -> {
                        Deadline soon = Deadline.in(Duration.ofMillis(300));
                        try (Pipeline pipeline = new Pipeline(connections.borrow(address, soon), many)) {
                            pipeline.send();
                            pipeline.receive(soon);
                        }
                    })
                    .isInstanceOf(JedisException.class);
        } finally {
            server.thaw();
        }
    }

    private static Deadline patiently() {
        return Deadline.in(Await.HANG);
    }
}
