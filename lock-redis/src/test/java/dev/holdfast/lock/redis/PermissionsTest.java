package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.RedisClient;

/** The documented rights are enough for a user, and a user with fewer is told the first that is missing. */
class PermissionsTest {

    /** The documented rights, for every topology. */
    static final String ENOUGH = "user app on >secret resetchannels ~holdfast:* &holdfast:* +eval +evalsha +script|load"
            + " +info +ping +subscribe +scan +cluster|slots +time +get +mget +set +del +pttl +pexpire +pexpireat +publish"
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
    void documentedRights_forWaiting_areEnough() throws Exception {
        try (CommandRecorder commands = new CommandRecorder(server);
                LockStore store = TestStores.store(uri())) {
            handsOver(store, () -> commands.await("SUBSCRIBE", 1));
            assertThat(store.diagnose(Duration.ofMinutes(1)))
                    .allSatisfy(finding -> assertThat(finding.severity()).isLessThanOrEqualTo(Severity.NOTE));
        }
    }

    @Test
    void documentedRights_forAdmin_areEnough() {
        Properties settings =
                TestStores.settings(uri(), "lock.namespace", "app", "lock.lease", "5m", "lock.call-timeout", "1m");
        try (LockAdmin admin = LockAdmin.of(settings);
                Stream<LockInfo> locks = admin.locks("")) {
            assertThat(locks).isEmpty();
            // A doctor that stood still takes a notification for a missing one.
            Await.until(
                    "the doctor finds that all is well",
                    () -> admin.diagnose().stream()
                            .filter(finding -> finding.severity() == Severity.OK)
                            .map(Finding::subject)
                            .collect(Collectors.toSet())
                            .containsAll(Set.of("notifications", "commands", "clock", "rights")));
        }
    }

    @Test
    void documentedRights_inCluster_areEnough() throws Exception {
        Cluster cluster = Cluster.shared();
        for (RedisServer each : cluster.masters()) {
            try (RedisClient client = each.client()) {
                Administrator.order(client, "ACL", ("SETUSER " + ENOUGH.substring("user ".length())).split(" "));
            }
        }
        try (LockStore store = TestStores.store(cluster.uri().replace("://", "://app:secret@"))) {
            handsOver(store, () -> {});
            assertThat(store.diagnose(Duration.ofMinutes(1)))
                    .filteredOn(finding -> finding.subject().equals("rights"))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.OK);
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
        strictly.setProperty("lock.max-local-handoffs", "1");
        strictly.setProperty("lock.lease", "5m");
        strictly.setProperty("lock.call-timeout", "1m");
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
        "pexpireat, -pexpireat",
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
    void open_withMissingRight_namesItAndTheRuleThatGrantsIt(String lacking, String rule) {
        setUser(rule);
        try {
            assertThatThrownBy(() -> TestStores.store(uri()).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("the user app may not use ")
                    .hasMessageContaining(lacking)
                    .satisfies(failure -> {
                        String message = failure.getMessage();
                        String line = message.substring(
                                message.indexOf("ACL SETUSER app ") + 16, message.indexOf("; see lock.redis.uri"));
                        assertThat(line.split(" ")).hasSize(1);
                        setUser(line);
                    });
            TestStores.store(uri()).close();
            assertThat(operator.keys("*probe*")).isEmpty();
        } finally {
            setUser(ENOUGH.substring("user app ".length()).split(" "));
        }
    }

    /** These rights are needed before anything can be tried. */
    @Test
    void open_withoutTheRightToReachTheServers_namesTheRuleThatGrantsIt() {
        assertThatThrownBy(() -> TestStores.store(uri() + "/1").close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("the user lacks a right: ACL SETUSER with +select grants it");
        String cluster = uri().replace("redis://", "redis-cluster://");
        setUser("-cluster");
        try {
            assertThatThrownBy(() -> TestStores.store(cluster).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("the user lacks a right: ACL SETUSER with +cluster");
        } finally {
            setUser("+cluster|slots");
        }
    }

    /** As behind a proxy, or at a managed service that forbids a command to all users: no right helps. */
    @ParameterizedTest
    @CsvSource({"EVALSHA", "TIME", "ZMSCORE"})
    void open_onServerWithoutACommand_namesItAndAdvisesNoRight(String lacking) {
        try (RedisServer without = RedisServer.own("rename-command " + lacking + " \"\"")) {
            assertThatThrownBy(() -> TestStores.store(without.uri()).close())
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("the server does not have the command " + lacking.toLowerCase(Locale.ROOT))
                    .hasMessageNotContaining("ACL");
        }
    }

    @Test
    void open_withSeveralMissingRights_namesOneAfterTheOther() {
        setUser("-zadd", "-publish", "-info");
        try {
            for (String lacking : List.of("info", "zadd", "publish")) {
                assertThatThrownBy(() -> TestStores.store(uri()).close())
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining("the user app may not use the command " + lacking)
                        .hasMessageContaining("ACL SETUSER app +" + lacking + ";");
                setUser("+" + lacking);
            }
            TestStores.store(uri()).close();
        } finally {
            setUser("+zadd", "+publish", "+info");
        }
    }

    @Test
    void diagnose_withoutRightToSubscribe_warns() {
        setUser("-subscribe");
        try (LockStore store = TestStores.store(uri())) {
            assertThat(store.diagnose(Duration.ofMinutes(1)))
                    .filteredOn(finding -> finding.severity() == Severity.WARNING)
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.subject()).isEqualTo("notifications");
                        assertThat(finding.advice()).contains("ACL SETUSER app +subscribe");
                    });
        } finally {
            setUser("+subscribe");
        }
    }

    @Test
    void diagnose_withoutRightToScan_notesThatLocksCannotBeListed() {
        setUser("-scan");
        try (LockStore store = TestStores.store(uri())) {
            assertThat(store.diagnose(Duration.ofMinutes(1)))
                    .filteredOn(finding -> finding.subject().equals("rights") && finding.severity() != Severity.OK)
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.NOTE);
                        assertThat(finding.found()).contains("the user app may not use the command scan", "lock list");
                        assertThat(finding.advice()).isEqualTo("ACL SETUSER app +scan");
                    });
        } finally {
            setUser("+scan");
        }
    }

    @Test
    void diagnose_afterRightWasTaken_isError() {
        try (LockStore store = TestStores.store(uri())) {
            setUser("-hset", "-info");
            assertThat(store.diagnose(Duration.ofMinutes(1)))
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
