package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/** The master that three sentinels name, of which some are silent or answer strangely. A port stands for a master. */
class SentinelResolverTest {

    private static final ConnectionSettings SETTINGS = TestSettings.with(2, Duration.ofMinutes(1));

    private static final int A = 1;
    private static final int B = 2;

    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final List<FakeSentinel> sentinels = new ArrayList<>();

    SentinelResolverTest() {
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

    private SentinelResolver open() {
        return open(new OwnConnections(Set.of(), SETTINGS.ofServers(RedisUri.of(uri())), 2));
    }

    private SentinelResolver open(OwnConnections servers) {
        return new SentinelResolver(RedisUri.of(uri()), SETTINGS, servers);
    }

    private String uri() {
        return "redis-sentinel://"
                + sentinels.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(",")) + "/main";
    }

    @Test
    void resolver_withSilentSentinels_noticesFailoverFromLivingOne() {
        try (SentinelResolver resolver = open()) {
            sentinels.get(0).fallSilent();
            sentinels.get(1).fallSilent();

            sentinels.get(2).name(B, 6);
            Await.until("the failover is noticed", () -> port(resolver) == B);
            int before = asked.size();
            Await.until(
                    "the living sentinel is asked again and again while both others are waited for",
                    () -> asked.stream()
                                    .skip(before)
                                    .filter(which -> which == 2)
                                    .count()
                            >= 5);
        }
    }

    /** A caller that read the old address before the failover may come late, and is retired, too. */
    @Test
    void connections_toFormerMaster_areClosedAfterEachReply() {
        OwnConnections servers = new OwnConnections(Set.of(), SETTINGS.ofServers(RedisUri.of(uri())), 2);
        try (SentinelResolver resolver = open(servers)) {
            HostAndPort former = resolver.primary();
            sentinels.get(2).name(B, 6);
            Await.until("the failover is noticed", () -> port(resolver) == B);

            for (int late = 0; late < 2; late++) {
                assertThatThrownBy(() -> servers.borrow(former, Deadline.in(Duration.ofMinutes(1))))
                        .isInstanceOf(JedisException.class); // nothing listens there
                Await.until(
                        "the former master has no pool", () -> !servers.known().contains(former));
            }
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
    void resolver_withStrangeAnswers_noticesFailoverFromOthers(String toMaster, String toAddress) {
        sentinels.get(0).answer(travelling(toMaster), travelling(toAddress));
        try (SentinelResolver resolver = open()) {
            assertThat(port(resolver)).isEqualTo(A);

            sentinels.get(2).name(B, 6);

            Await.until("the failover is noticed", () -> {
                resolver.refresh();
                return port(resolver) == B;
            });
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void resolver_withoutRightToEpoch_warnsOnce() {
        sentinels.forEach(each -> each.answer(FakeSentinel.REFUSED, FakeSentinel.array("127.0.0.1", "1")));
        try (StandardError logged = StandardError.listen();
                SentinelResolver resolver = open()) {
            Await.until("all sentinels are asked repeatedly", () -> {
                resolver.refresh();
                return asked.size() >= 9;
            });
            Await.until("a line is logged", () -> logged.lines().anyMatch(line -> line.contains(uri())));

            assertThat(logged.lines().filter(line -> line.contains(uri())))
                    .singleElement()
                    .asString()
                    .contains("WARN", "NOPERM", "sentinel|master", "more than half");
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void silenceOfAllSentinels_itsEndAndAnotherMaster_areLoggedOnce() {
        AtomicLong now = new AtomicLong();
        OwnConnections servers = new OwnConnections(Set.of(), SETTINGS.ofServers(RedisUri.of(uri())), 2);
        try (StandardError logged = StandardError.listen();
                SentinelResolver resolver = new SentinelResolver(RedisUri.of(uri()), SETTINGS, servers, now::get)) {
            sentinels.forEach(each -> each.answer("-ERR down\r\n", "-ERR down\r\n"));
            Await.until("the silence is logged", () -> {
                now.addAndGet(TimeUnit.SECONDS.toNanos(1));
                resolver.refresh();
                return isLogged(logged, "WARN", "would have gone unnoticed: no sentinel answers");
            });
            now.addAndGet(TimeUnit.HOURS.toNanos(1));
            int before = asked.size();
            Await.until("all sentinels are asked again and again", () -> {
                resolver.refresh();
                return asked.size() >= before + 9;
            });
            sentinels.forEach(each -> each.name(A, 5));
            Await.until("its end is logged", () -> {
                resolver.refresh();
                return isLogged(logged, "INFO", "is noticed again: a sentinel answers");
            });

            sentinels.forEach(each -> each.name(B, 6));
            Await.until("another master is logged", () -> {
                resolver.refresh();
                return isLogged(logged, "INFO", "name 127.0.0.1:2 as their master, and no longer 127.0.0.1:1");
            });
            assertThat(logged.lines().filter(line -> line.contains(uri()))).hasSize(3);
        }
    }

    private boolean isLogged(StandardError log, String level, String text) {
        return log.lines().anyMatch(line -> line.contains(level) && line.contains(uri()) && line.contains(text));
    }

    private static int port(SentinelResolver resolver) {
        return resolver.primary().getPort();
    }

    private static String travelling(String answer) {
        return answer.replace(" ", "\r\n") + "\r\n";
    }
}
