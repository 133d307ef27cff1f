package dev.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An application with nothing but what Spring Boot manages: it starts, locks, shows its locks, and gives them back at its end. The
 * composite takes both clients that Boot chooses: Jedis for the grants, the driver and Flyway for the authority.
 */
@Tag("second-build")
@Order(1)
class BootVersionsTest {

    private static final int TERMINATED = 128 + 15;

    /** The machine may stand still for many seconds: that must not end a lease. */
    private static final Map<String, String> COMPOSITE =
            Map.of("lease", "10m", "call-timeout", "1m", "composite.authority-lease", "30s");

    private final PostgresServer postgres = PostgresServer.shared();
    private final RedisServer redis = RedisServer.shared();

    @Test
    void application_onOldestBoot_locksAndEndsCleanly() throws Exception {
        runOnServers("shop-on-boot/3.5", "3.5.16", "6.0.0", "11.7.2");
    }

    /** On the newest of them other tests start the shop in each build. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({"shop-on-boot/4.0, 4.0.9, 7.0.0, 11.14.1", "shop, 4.1.2, 7.4.1, 12.4.0"})
    void application_onNewerBoot_locksAndEndsCleanly(String sample, String boot, String jedis, String flyway)
            throws Exception {
        runOnServers(sample, boot, jedis, flyway);
    }

    private void runOnServers(String sample, String boot, String jedis, String flyway) throws Exception {
        assertThat(ShopNode.libraries(sample))
                .contains("spring-boot-" + boot + ".jar", "jedis-" + jedis + ".jar", "flyway-core-" + flyway + ".jar");
        String namespace = "boot-" + boot;
        Map<String, String> settings = new HashMap<>();
        settings.put("spring.profiles.active", "servers");
        settings.put("spring.datasource.username", postgres.username());
        settings.put("spring.datasource.password", postgres.password());
        settings.put("spring.data.redis.host", "127.0.0.1");
        settings.put("spring.data.redis.port", Integer.toString(redis.port()));
        settings.put("holdfast.namespace", namespace);
        COMPOSITE.forEach((key, value) -> settings.put("holdfast." + key, value));
        settings.put("shop.report.every", "1h"); // a report that the end interrupts is an error in the log
        settings.put("spring.datasource.url", postgres.newDatabase());

        try (ShopNode node = new ShopNode(sample, settings).awaitReady();
                Locks others = Locks.openResolved(composite(settings.get("spring.datasource.url"), namespace))) {
            locksAndEndsCleanly(node, boot, others);
        }
        assertThat(histories(settings.get("spring.datasource.url")))
                .as("the application's own migrations, undisturbed")
                .isEqualTo("1");
    }

    private static void locksAndEndsCleanly(ShopNode node, String boot, Locks others) throws Exception {
        assertThat(node.log()).contains("(v" + boot + ")");

        String token = node.post("/holds/one");
        assertThat(others.named("one").tryAcquire()).isEmpty();
        assertThat(node.get("/actuator/health/locks"))
                .contains("\"status\":\"UP\"")
                .contains("\"provider\":\"composite\"");
        assertThat(node.get("/actuator/locks?prefix=one"))
                .contains("\"name\":\"one\"")
                .contains("\"fencingToken\":\"" + token + "\"")
                .contains("\"application\":\"shop\"", "\"instance\":\"" + node.pid() + "@")
                .doesNotContain("nightly-report");
        assertThat(node.send("DELETE", "/actuator/locks?name=one&fencingToken=" + token)
                        .statusCode())
                .as("force release, which is not switched on")
                .isEqualTo(405);

        assertThat(node.stop()).isEqualTo(TERMINATED);
        assertThat(node.log().lines().filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")))
                .filteredOn(line -> !line.contains("'DELETE' is not supported"))
                .filteredOn(
                        line -> !line.contains("com.zaxxer.hikari")) // a machine that stood still breaks connections
                .singleElement()
                .asString()
                .as("what is wrong is that a lease is held at the end")
                .contains("these locks are closed while 1 leases are held, 'one' with token " + token);
        Optional<Lease> free = others.named("one").tryAcquire();
        assertThat(free).as("the lock of the node that has ended").isPresent();
        free.get().close();
    }

    private Properties composite(String url, String namespace) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "composite");
        properties.setProperty("lock.redis.uri", redis.uri());
        properties.setProperty("lock.jdbc.url", url);
        properties.setProperty("lock.jdbc.username", postgres.username());
        properties.setProperty("lock.jdbc.password", postgres.password());
        properties.setProperty("lock.namespace", namespace);
        COMPOSITE.forEach((key, value) -> properties.setProperty("lock." + key, value));
        return properties;
    }

    private String histories(String url) throws Exception {
        try (Connection connection = postgres.connect(url);
                Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery("select string_agg(version, ',') from flyway_schema_history")) {
            result.next();
            return result.getString(1);
        }
    }
}
