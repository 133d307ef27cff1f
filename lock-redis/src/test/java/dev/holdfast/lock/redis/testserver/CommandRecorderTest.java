package dev.holdfast.lock.redis.testserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;

/** The recorder counts every command of a client, and nothing else. */
class CommandRecorderTest {

    private static final int MANY = 5_000;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.own();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void recorder_ofScript_countsOneCommand() {
        try (RedisClient client = server.client();
                CommandRecorder commands = new CommandRecorder(server)) {
            client.ping();
            commands.forget();

            client.eval("redis.call('SET', KEYS[1], 'x') return redis.call('GET', KEYS[1])", List.of("a"), List.of());

            assertThat(commands.count()).isEqualTo(1);
            assertThat(commands.count("eval")).isEqualTo(1);
            assertThat(commands.count("GET", "SET")).isZero();
        }
    }

    @Test
    void recorder_ofManyCommands_keepsAllInOrder() {
        try (RedisClient client = server.client();
                CommandRecorder commands = new CommandRecorder(server);
                AbstractPipeline pipeline = client.pipelined()) {
            for (int i = 0; i < MANY; i++) {
                pipeline.set("key", "value " + i);
            }
            pipeline.sync();

            List<CommandRecorder.Seen> seen = commands.all().stream()
                    .filter(each -> each.name().equalsIgnoreCase("SET"))
                    .toList();

            assertThat(seen).hasSize(MANY);
            assertThat(seen.get(MANY - 1).line()).isEqualTo("\"SET\" \"key\" \"value " + (MANY - 1) + "\"");
            assertThat(seen)
                    .extracting(CommandRecorder.Seen::client)
                    .containsOnly(seen.get(0).client());
        }
    }

    @Test
    void recorder_ofFailedCommand_countsIt() {
        try (RedisClient client = server.client();
                CommandRecorder commands = new CommandRecorder(server)) {
            assertThatThrownBy(() -> client.evalsha("0".repeat(40))).hasMessageContaining("NOSCRIPT");

            assertThat(commands.count("EVALSHA")).isEqualTo(1);
        }
    }

    @Test
    void await_beforeCommand_waitsForIt() throws InterruptedException {
        try (RedisClient client = server.client();
                CommandRecorder commands = new CommandRecorder(server)) {
            Thread later = new Thread(() -> client.incr("counted"));
            later.start();

            commands.await("INCR", 1);

            assertThat(commands.count("INCR")).isEqualTo(1);
            later.join();
        }
    }
}
