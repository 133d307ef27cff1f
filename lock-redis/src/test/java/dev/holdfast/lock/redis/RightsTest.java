package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.redis.server.Cluster;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.RedisClient;

/** A user who may do what locks need and nothing else is enough, and one who may do less is told what lacks. */
class RightsTest {

    /** The line that users are told: whatever is needed, in whichever topology. */
    static final String ENOUGH = "user app on >secret resetchannels ~holdfast:* &holdfast:* +eval +evalsha +script|load"
            + " +info +ping +subscribe +scan +cluster|slots +time +get +mget +set +del +pttl +pexpire +publish"
            + " +zadd +zcard +zmscore +zrange +zrangebyscore +zrank +zrem +zscore +hget +hmget +hset +hdel";

    private static RedisServer server;
    private static RedisClient operator;

    @BeforeAll
    static void start() {
        server = RedisServer.own(ENOUGH);
        operator = server.client();
    }

    @AfterAll
    static void stop() {
        operator.close();
        server.close();
    }

    private static String uri() {
        return server.uri().replace("://", "://app:secret@");
    }

    @Test
    void theLineIsEnoughAlsoForWaiting() throws Exception {
        try (Commands commands = new Commands(server);
                LockStore store = Opened.store(uri())) {
            handsOver(store, () -> commands.await("SUBSCRIBE", 1));
            assertThat(store.examine(Duration.ofMinutes(1)))
                    .allSatisfy(finding -> assertThat(finding.severity()).isLessThanOrEqualTo(Severity.NOTE));
        }
    }

    @Test
    void theLineIsEnoughForAnOperator() {
        Properties settings = RedisContract.configuration(uri());
        settings.setProperty("lock.namespace", "app");
        try (LockAdmin admin = LockAdmin.of(settings);
                Stream<LockInfo> locks = admin.locks("")) {
            assertThat(locks).isEmpty();
            assertThat(admin.examine())
                    .extracting(Finding::subject, Finding::severity)
                    .contains(tuple("signals", Severity.FINE), tuple("steps", Severity.FINE))
                    .contains(tuple("clock", Severity.FINE), tuple("rights", Severity.FINE));
        }
    }

    @Test
    void theLineIsEnoughInACluster() throws Exception {
        Cluster cluster = Cluster.shared();
        for (RedisServer each : cluster.masters()) {
            try (RedisClient client = each.client()) {
                Administrator.order(client, "ACL", ("SETUSER " + ENOUGH.substring("user ".length())).split(" "));
            }
        }
        try (LockStore store = Opened.store(cluster.uri().replace("://", "://app:secret@"))) {
            handsOver(store, () -> {});
            assertThat(store.examine(Duration.ofMinutes(1)))
                    .filteredOn(finding -> finding.subject().equals("rights"))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.FINE);
                        assertThat(finding.found()).contains(addresses(cluster));
                    });
        }
    }

    private static List<String> addresses(Cluster cluster) {
        return cluster.masters().stream()
                .map(each -> "127.0.0.1:" + each.port())
                .toList();
    }

    private static void handsOver(LockStore store, Runnable waiting) throws Exception {
        Properties strictly = new Properties();
        strictly.setProperty("lock.handoff", "1");
        try (Locks locks = Locks.open(store, strictly);
                Locks others = Locks.open(store, strictly)) {
            Lease first = locks.named("a").acquire();
            CompletableFuture<Lease> second = others.named("a").acquireAsync(Duration.ofMinutes(3));
            waiting.run();
            first.close();
            Await.result(second).close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "eval, -eval",
        "evalsha, -evalsha",
        "script|load, -script",
        "info, -info",
        "ping, -ping",
        "time, -time",
        "get, -get",
        "mget, -mget",
        "set, -set",
        "del, -del",
        "pttl, -pttl",
        "pexpire, -pexpire",
        "publish, -publish",
        "zadd, -zadd",
        "zcard, -zcard",
        "zmscore, -zmscore",
        "zrange, -zrange",
        "zrangebyscore, -zrangebyscore",
        "zrank, -zrank",
        "zrem, -zrem",
        "zscore, -zscore",
        "hget, -hget",
        "hmget, -hmget",
        "hset, -hset",
        "hdel, -hdel",
        "the keys holdfast:*, resetkeys",
        "the channels holdfast:*, resetchannels",
    })
    void whatLacksIsNamedAndGrantedByTheLineThatIsAdvised(String lacking, String rule) {
        setUser(rule);
        try {
            assertThatThrownBy(() -> Opened.store(uri()).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("the user app may not use ")
                    .hasMessageContaining(lacking)
                    .satisfies(failure -> {
                        String message = failure.getMessage();
                        String line = message.substring(message.indexOf("ACL SETUSER app ") + 16);
                        assertThat(line.split(" ")).hasSize(1);
                        setUser(line);
                    });
            Opened.store(uri()).close();
            assertThat(operator.keys("*probe*")).isEmpty();
        } finally {
            setUser(ENOUGH.substring("user app ".length()).split(" "));
        }
    }

    @Test
    void severalThatLackAreNamedAtOnce() {
        setUser("-zadd", "-publish", "-info");
        try {
            assertThatThrownBy(() -> Opened.store(uri()).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("the commands info, publish, zadd")
                    .hasMessageEndingWith("ACL SETUSER app +info +publish +zadd");
        } finally {
            setUser("+zadd", "+publish", "+info");
        }
    }

    @Test
    void aUserThatMayNotListenIsOpenedAndTheExaminationTells() {
        setUser("-subscribe");
        try (LockStore store = Opened.store(uri())) {
            assertThat(store.examine(Duration.ofMinutes(1)))
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.subject()).isEqualTo("signals");
                        assertThat(finding.advice()).contains("ACL SETUSER app +subscribe");
                    });
        } finally {
            setUser("+subscribe");
        }
    }

    @Test
    void whatIsTakenFromAUserLaterIsAnError() {
        try (LockStore store = Opened.store(uri())) {
            setUser("-hset", "-info");
            assertThat(store.examine(Duration.ofMinutes(1)))
                    .filteredOn(finding -> finding.severity() == Severity.ERROR)
                    .extracting(Finding::advice)
                    .containsExactlyInAnyOrder("ACL SETUSER app +hset", "ACL SETUSER app +info");
        } finally {
            setUser("+hset", "+info");
        }
    }

    private static void setUser(String... rules) {
        Administrator.order(
                operator,
                "ACL",
                Stream.concat(Stream.of("SETUSER", "app"), Stream.of(rules)).toArray(String[]::new));
    }
}
