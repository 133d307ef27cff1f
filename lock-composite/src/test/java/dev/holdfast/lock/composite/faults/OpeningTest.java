package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.RegimeEvent.Kind;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.trouble.Administrator;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.testing.StandardError;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** Which processes may open a composite, and when. */
@Execution(ExecutionMode.CONCURRENT)
class OpeningTest {

    private static final Composites COMPOSITES = Composites.shared();

    @Test
    void aProcessStartsWhileRedisIsDownIsServedByTheDatabaseAndFollowsRedisToPower() throws Exception {
        try (RedisServer redis = RedisServer.own()) {
            Properties configuration = COMPOSITES.configuration("late");
            configuration.setProperty("lock.redis.uri", redis.uri());
            long token;
            try (Locks first = COMPOSITES.open(configuration);
                    Lease lease = first.named("job").acquire(LONG)) {
                token = lease.fencingToken();
            }
            redis.kill();

            try (Locks locks = Locks.open(configuration)) {
                Heard heard = Heard.of(locks);
                Lease lease =
                        COMPOSITES.passUntilGranted("late", locks.named("job").acquireAsync(LONG));
                assertThat(lease.fencingToken()).isGreaterThan(token);
                assertThat(COMPOSITES.mode("late")).isEqualTo("FALLBACK");

                redis.start();

                COMPOSITES.pass("late", "Redis grants", () -> heard.all().contains(Kind.PRIMARY_GRANTS));
                try (Lease other = locks.named("other").acquire(LONG)) {
                    assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken());
                }
                assertThat(lease.release()).isTrue();
            }
        }
    }

    @Test
    void aProcessThatRedisDoesNotLetInStartsSaysSoOnceIsServedByTheDatabaseAndFollowsRedisToPower() throws Exception {
        try (RedisServer redis = RedisServer.own(
                        "user app on >right ~* &* +@all", "maxmemory 100mb", "maxmemory-policy allkeys-lru");
                RedisClient admin = redis.client()) {
            Properties configuration = COMPOSITES.configuration("stranger");
            configuration.setProperty("lock.redis.uri", redis.uri());
            Locks.open(configuration).close(); // Redis does not begin to reign, as it may forget
            configuration.setProperty("lock.redis.username", "app");
            configuration.setProperty("lock.redis.password", "wrong");
            StandardError said = StandardError.listen();

            try (said;
                    Locks locks = Locks.open(configuration)) {
                Heard heard = Heard.of(locks);
                Lease lease = locks.named("job").acquire(LONG);
                assertThat(COMPOSITES.mode("stranger")).isEqualTo("FALLBACK");
                Administrator.order(admin, "CONFIG", "SET", "maxmemory-policy", "noeviction");
                Administrator.order(admin, "ACL", "SETUSER", "app", ">wrong");

                COMPOSITES.pass("stranger", "Redis grants", () -> heard.all().contains(Kind.PRIMARY_GRANTS));
                try (Lease other = locks.named("other").acquire(LONG)) {
                    assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken());
                }
                lease.close();
            }

            // Other tests run beside this one, and some of them are refused, too.
            String here = ":" + redis.port() + ":";
            assertThat(said.lines().filter(line -> line.contains("WRONGPASS") && line.contains(here)))
                    .hasSize(1)
                    .allSatisfy(line -> assertThat(line).contains("WARN").doesNotContain("wrong", "right"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster-enabled yes", "requirepass secret"})
    void aProcessStartsThoughItsRedisIsAnother(String directive) throws Exception {
        String namespace = "misled-" + directive.hashCode();
        Properties configuration = COMPOSITES.configuration(namespace);
        COMPOSITES.open(configuration).close();
        try (RedisServer other = RedisServer.own(directive)) {
            configuration.setProperty("lock.redis.uri", other.uri());

            try (Locks locks = Locks.open(configuration);
                    Lease lease = COMPOSITES.passUntilGranted(
                            namespace, locks.named("job").acquireAsync(LONG))) {
                assertThat(lease.name()).isEqualTo("job");
                assertThat(COMPOSITES.mode(namespace)).isEqualTo("FALLBACK");
            }
            try (LockAdmin admin = LockAdmin.of(configuration)) {
                assertThat(admin.examine())
                        .filteredOn(finding -> finding.severity().compareTo(Finding.Severity.NOTE) > 0)
                        .extracting(Finding::found)
                        .anyMatch(found -> found.contains("cannot open") && found.contains("" + other.port()));
            }
        }
    }

    @Test
    void anotherRegimeLeaseThanTheOthersHaveIsRefused() {
        Properties configuration = COMPOSITES.configuration("another");
        try (Locks first = COMPOSITES.open(configuration)) {
            assertThat(first.provider()).isEqualTo("stepped");
            configuration.setProperty("lock.composite.regime-lease", "20s");

            assertRefused(configuration, "lock.composite.regime-lease=20s", "30s");
        }
    }

    @Test
    void aLeaseTooShortToSurviveAFailoverIsRefused() {
        Properties configuration = COMPOSITES.configuration("short");
        configuration.setProperty("lock.provider", "composite");
        configuration.setProperty("lock.composite.regime-lease", "2s");
        configuration.setProperty("lock.lease", "2s");
        configuration.setProperty("lock.call-timeout", "500ms");

        assertRefused(configuration, "lock.lease=2s", "5630ms", "lock.composite.regime-lease=2s");
    }

    @Test
    void aClusterIsRefused() {
        Properties configuration = COMPOSITES.configuration("cluster");
        configuration.setProperty(
                "lock.redis.uri",
                "redis-cluster://127.0.0.1:" + COMPOSITES.redis().port());

        assertRefused(configuration, "lock.redis.uri", "Cluster");
    }

    @Test
    void sqliteIsRefused() {
        Properties configuration = COMPOSITES.configuration("sqlite");
        configuration.setProperty("lock.jdbc.url", "jdbc:sqlite:never-made.db");

        assertRefused(configuration, "lock.jdbc.url", "jdbc:postgresql://");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "jdbc"})
    void theNamespaceIsRefusedToOneStoreAlone(String provider) {
        Properties configuration = COMPOSITES.configuration("shared-" + provider);
        try (Locks first = COMPOSITES.open(configuration)) {
            assertThat(first.provider()).isEqualTo("stepped");
            Properties alone = new Properties();
            configuration.forEach((key, value) -> {
                if (!key.toString().startsWith("lock.composite.")) {
                    alone.put(key, value);
                }
            });
            alone.setProperty("lock.provider", provider);

            assertThatExceptionOfType(LockConfigurationException.class)
                    .isThrownBy(() -> {
                        try (Locks locks = Locks.open(alone);
                                Lease lease = locks.named("job").acquire()) {
                            assertThat(lease).as("was granted").isNull();
                        }
                    })
                    .withMessageContaining("shared-" + provider)
                    .withMessageContaining("lock.provider=composite");
        }
    }

    private static void assertRefused(Properties configuration, String... saying) {
        assertThatExceptionOfType(LockConfigurationException.class)
                .isThrownBy(() -> Locks.open(configuration).close())
                .satisfies(refusal -> assertThat(refusal.getMessage()).contains(saying));
    }
}
