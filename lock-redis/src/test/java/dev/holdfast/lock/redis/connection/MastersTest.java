package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The master that three sentinels name, of which some are dead or answer strangely. Masters have ports, and nothing else. */
class MastersTest {

    private static final int A = 1;
    private static final int B = 2;

    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final List<FakeSentinel> sentinels = new ArrayList<>();

    MastersTest() {
        for (int at = 0; at < 3; at++) {
            int which = at;
            FakeSentinel sentinel = new FakeSentinel(() -> asked.add(which));
            sentinel.name(A, 5);
            sentinels.add(sentinel);
        }
    }

    @AfterEach
    void close() {
        sentinels.forEach(FakeSentinel::close);
    }

    private Masters open() {
        Access access = new Access(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                2,
                Duration.ofMinutes(1));
        return new Masters(RedisUri.of(uri()), access);
    }

    private String uri() {
        return "redis-sentinel://"
                + sentinels.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(",")) + "/main";
    }

    @Test
    void deadSentinelsThatComeFirstInTheUriDelayNothingThatALivingOneKnows() {
        try (Masters masters = open()) {
            sentinels.get(0).fallSilent();
            sentinels.get(1).fallSilent();

            Await.until("the living one is asked first in each round, and one dead one after it", () -> {
                List<Integer> all = List.copyOf(asked);
                List<Integer> last = all.subList(Math.max(0, all.size() - 6), all.size());
                return last.equals(List.of(2, 0, 2, 1, 2, 0)) || last.equals(List.of(2, 1, 2, 0, 2, 1));
            });
            sentinels.get(2).name(B, 6);
            Await.until("the failover is noticed", () -> port(masters) == B);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*0                        | *2 $9 127.0.0.1 $1 1",
                "$-1                       | $-1",
                "+OK                       | +OK",
                "*2 $4 name :7             | *2 $9 127.0.0.1 $3 odd",
                "*2 :7 :7                  | *2 $9 127.0.0.1 $1 1",
                "*2 $12 config-epoch $-1   | *2 $9 127.0.0.1 $1 1",
                "*2 $12 config-epoch $3 odd| *2 $9 127.0.0.1 $1 1",
                "%1 $12 config-epoch $1 9  | *2 $9 127.0.0.1 $1 1",
                "*0                        | *2 $-1 $-1",
                "*0                        | *1 $9 127.0.0.1",
                "*0                        | *2 $9 127.0.0.1 $5 99999",
                "*0                        | :7",
                "*0                        | !",
            })
    void oneThatAnswersAsNoSentinelDoesKeepsNoneOfTheOthersFromBeingHeard(String toMaster, String toAddress) {
        sentinels.get(0).answer(travelling(toMaster), travelling(toAddress));
        try (Masters masters = open()) {
            assertThat(port(masters)).isEqualTo(A);

            sentinels.get(2).name(B, 6);

            Await.until("the failover is noticed", () -> {
                masters.doubt();
                return port(masters) == B;
            });
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void thatTheEpochIsRefusedIsWarnedOfOnce() {
        sentinels.forEach(each -> each.answer(FakeSentinel.REFUSED, FakeSentinel.array("127.0.0.1", "1")));
        try (StandardError logged = StandardError.listen();
                Masters masters = open()) {
            Await.until("all are asked again and again", () -> {
                masters.doubt();
                return asked.size() >= 9;
            });

            assertThat(logged.lines().filter(line -> line.contains(uri())))
                    .singleElement()
                    .asString()
                    .contains("WARN", "NOPERM", "sentinel|master", "more than half");
        }
    }

    private static int port(Masters masters) {
        return masters.present().address().getPort();
    }

    private static String travelling(String answer) {
        return answer.replace(" ", "\r\n") + "\r\n";
    }
}
