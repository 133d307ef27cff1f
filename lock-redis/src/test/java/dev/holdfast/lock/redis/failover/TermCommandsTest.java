package dev.holdfast.lock.redis.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.faults.TestCommands;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** How many server calls a command costs under a primary term, as the server counts them. */
class TermCommandsTest {

    private static final Pattern STATISTICS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");

    @Test
    void command_underTerm_costsOneOrTwoServerCallsMore() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                PrimaryTermFixture term = PrimaryTermFixture.of(server.uri(), 3)) {
            AcquisitionId first = TestCommands.id();
            term.answered(TestCommands.acquire("job", first), LockReply.Granted.class);
            term.answered(TestCommands.release("job", first), LockReply.Released.class);
            AcquisitionId id = TestCommands.id();

            assertThat(commands(term, admin, TestCommands.acquire("job", id)))
                    .isEqualTo(Map.of("evalsha", 1, "info", 1, "mget", 1, "time", 1, "set", 2));
            assertThat(commands(term, admin, TestCommands.renew("job", id)))
                    .isEqualTo(Map.of("evalsha", 1, "info", 1, "mget", 2, "pttl", 1, "pexpire", 1));
            assertThat(commands(term, admin, TestCommands.release("job", id)))
                    .isEqualTo(Map.of("evalsha", 1, "info", 1, "mget", 1, "del", 1));
        }
    }

    private static Map<String, Integer> commands(PrimaryTermFixture term, RedisClient admin, LockCommand command) {
        Administrator.order(admin, "CONFIG", "RESETSTAT");
        LockReply reply = term.ask(command);
        assertThat(reply).isNotInstanceOf(LockReply.Unavailable.class);
        Map<String, Integer> commands = new TreeMap<>();
        Matcher line = STATISTICS.matcher(admin.info("commandstats"));
        while (line.find()) {
            if (!line.group(1).startsWith("config")) { // which is the test's own
                commands.put(line.group(1), Integer.valueOf(line.group(2)));
            }
        }
        return commands;
    }
}
