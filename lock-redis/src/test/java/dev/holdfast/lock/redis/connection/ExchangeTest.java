package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** Nobody reads what was meant for somebody else, and nobody waits for a peer that has stopped to read. */
@Timeout(180)
class ExchangeTest {

    private static final Call LOOK =
            new Keyspace(new Namespace("exchange"), 1).look(new LockName("a name that is not short ".repeat(10)));

    private RedisServer server;
    private OwnNode node;

    @BeforeEach
    void start() {
        server = RedisServer.own();
        node = new OwnNode(
                new HostAndPort("127.0.0.1", server.port()),
                DefaultJedisClientConfig.builder().resp2().build(),
                1);
    }

    @AfterEach
    void stop() {
        node.close();
        server.close();
    }

    @Test
    void aConnectionOfWhichSomethingIsUnreadIsNotGivenBack() {
        try (Exchange abandoned = new Exchange(node, List.of(LOOK, LOOK), inAMinute())) {
            abandoned.send();
        }
        try (Borrowed next = node.borrow(inAMinute())) {
            assertThat(next.connection().ping()).isTrue();
        }
    }

    @Test
    void aQuestionThatFailsBetweenLeavesNothingUnreadEither() {
        assertThatThrownBy(() -> SingleServer.ask(
                        node,
                        connection -> {
                            connection.sendCommand(LOOK.byText());
                            connection.getMany(0);
                            throw new IllegalStateException("meanwhile");
                        },
                        inAMinute()))
                .hasMessage("meanwhile");
        try (Borrowed next = node.borrow(inAMinute())) {
            assertThat(next.connection().ping()).isTrue();
        }
    }

    @Test
    void moreThanASocketTakesAtOnceIsAnsweredAllTheSame() {
        List<Call> many = Collections.nCopies(5_000, LOOK);
        try (Exchange exchange = new Exchange(node, many, inAMinute())) {
            exchange.send();
            assertThat(exchange.read(inAMinute())).hasSize(5_000).allMatch(List.class::isInstance);
        }
    }

    /** Far more than the buffers of both sides hold: whoever wrote it all at once would write until the server goes on. */
    @Test
    @Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aServerThatDoesNotReadKeepsNobodyWriting() {
        List<Call> many = Collections.nCopies(20_000, LOOK);
        node.borrow(inAMinute()).close(); // so that there is a connection
        server.freeze();
        try {
            assertThatThrownBy(() -> {
                        Deadline soon = Deadline.in(Duration.ofMillis(300));
                        try (Exchange exchange = new Exchange(node, many, soon)) {
                            exchange.send();
                            exchange.read(soon);
                        }
                    })
                    .isInstanceOf(JedisException.class);
        } finally {
            server.thaw();
        }
    }

    private static Deadline inAMinute() {
        return Deadline.in(Duration.ofMinutes(1));
    }
}
