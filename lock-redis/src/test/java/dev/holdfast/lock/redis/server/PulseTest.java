package dev.holdfast.lock.redis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A standstill excuses what fails beside it, and nothing else does. */
class PulseTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(200);

    @Test
    void whatFailsThoughAllGoesOnHasFailed() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> Pulse.steadily(LONG, pulse -> {
                    attempts.incrementAndGet();
                    throw new AssertionError("so it is");
                }))
                .hasMessage("so it is");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void whatFailsBesideAServerThatStandsStillBeginsAnew() throws Exception {
        try (RedisServer server = RedisServer.own()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            AtomicInteger attempts = new AtomicInteger();

            Pulse.steadily(SHORT, pulse -> {
                pulse.feel(server);
                if (attempts.incrementAndGet() == 1) {
                    server.freeze();
                    try {
                        Awaiting.until(
                                "it is felt", () -> pulse.longestStandstill().compareTo(SHORT) > 0);
                    } finally {
                        server.thaw();
                    }
                    throw new AssertionError("too late");
                }
            });

            assertThat(attempts).hasValue(2);
        }
    }

    @Test
    void itEndsThoughSomethingStandsStillEachTime() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> Pulse.steadily(Duration.ZERO, pulse -> {
                    attempts.incrementAndGet();
                    throw new AssertionError("always");
                }))
                .hasMessage("always");
        assertThat(attempts).hasValue(5);
    }

    @Test
    void aServerThatWasLeftIsNotFelt() throws Exception {
        try (RedisServer server = RedisServer.own();
                Pulse pulse = new Pulse();
                Pulse other = new Pulse()) {
            assumeThat(server.canFail()).as("this server may be broken").isTrue();
            pulse.feel(server);
            other.feel(server);

            other.leaveServers();
            server.freeze();
            try {
                Awaiting.until(
                        "the other feels it", // both feel what becomes of this process
                        () -> pulse.longestStandstill()
                                        .compareTo(other.longestStandstill().plus(SHORT))
                                > 0);
            } finally {
                server.thaw();
            }
        }
    }

    @Test
    void itsQuestionsAreNoCommands() {
        try (RedisServer server = RedisServer.own();
                Pulse pulse = new Pulse()) {
            pulse.feel(server);
            try (Commands commands = new Commands(server)) {
                commands.all();
                assertThat(commands.all()).isEmpty();
            }
        }
    }
}
