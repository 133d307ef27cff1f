package dev.holdfast.lock.redis.regime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.redis.trouble.Steps;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** How many commands a step costs under a reign, as the server counts them. */
class ReignCommandsTest {

    private static final Pattern STATISTICS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");

    @Test
    void itCostsOneQuestionMoreToAcquireAndTwoMoreToRenewAndToRelease() {
        try (RedisServer server = RedisServer.own();
                RedisClient admin = server.client();
                Crown crown = Crown.of(server.uri(), 3)) {
            AcquisitionId first = Steps.id();
            crown.answered(Steps.acquire("job", first), Answer.Granted.class);
            crown.answered(Steps.release("job", first), Answer.Released.class);
            AcquisitionId id = Steps.id();

            assertThat(commands(crown, admin, Steps.acquire("job", id)))
                    .isEqualTo(Map.of("evalsha", 1, "info", 1, "mget", 1, "time", 1, "set", 2));
            assertThat(commands(crown, admin, Steps.renew("job", id)))
                    .isEqualTo(Map.of("evalsha", 1, "info", 1, "mget", 2, "pttl", 1, "pexpire", 1));
            assertThat(commands(crown, admin, Steps.release("job", id)))
                    .isEqualTo(Map.of("evalsha", 1, "info", 1, "mget", 2, "del", 1));
        }
    }

    private static Map<String, Integer> commands(Crown crown, RedisClient admin, Step step) {
        Administrator.order(admin, "CONFIG", "RESETSTAT");
        Answer answer = crown.ask(step);
        assertThat(answer).isNotInstanceOf(Answer.Unavailable.class);
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
