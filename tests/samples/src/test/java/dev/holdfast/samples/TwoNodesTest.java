package dev.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.MethodName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Two nodes of the shop on one PostgreSQL and one Redis: each sees what the lock is for, and the last test has Redis fail. */
@Tag("long")
@TestMethodOrder(MethodName.class)
@Order(1)
class TwoNodesTest {

    private static final int THREADS = 6;
    private static final int COUNTS = 60;
    private static final int CHAIRS = 100;

    private static final List<ShopNode> nodes = new ArrayList<>();
    private static final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private static RedisServer redis;

    @BeforeAll
    static void start() throws Exception {
        PostgresServer postgres = PostgresServer.shared();
        redis = RedisServer.own();
        Map<String, String> settings = new HashMap<>();
        settings.put("spring.profiles.active", "servers");
        settings.put("spring.datasource.url", postgres.newDatabase());
        settings.put("spring.datasource.username", postgres.username());
        settings.put("spring.datasource.password", postgres.password());
        settings.put("spring.data.redis.host", "127.0.0.1");
        settings.put("spring.data.redis.port", Integer.toString(redis.port()));
        settings.put("holdfast.composite.authority-lease", "3s"); // a node may stand still for two thirds of it
        settings.put("shop.report.every", "100ms");
        nodes.add(new ShopNode(ShopNode.NEWEST, settings));
        nodes.add(new ShopNode(ShopNode.NEWEST, settings));
        nodes.forEach(ShopNode::awaitReady);
    }

    @AfterAll
    static void stop() throws Exception {
        threads.shutdownNow();
        nodes.forEach(ShopNode::close);
        if (redis != null) {
            redis.close();
        }
    }

    @Test
    void a_stock_soldByBothNodes_isNeverBelowZero() throws Exception {
        Answers sales = onBothNodes(CHAIRS + 20, "/articles/chair/sales");

        assertThat(sales.bodies()).filteredOn(Boolean::parseBoolean).hasSizeBetween(CHAIRS - sales.inDoubt(), CHAIRS);
        assertThat(nodes.get(0).get("/articles/chair")).isEqualTo("0");
    }

    @Test
    void b_nightlyReport_scheduledByBothNodes_isSentOnce() throws Exception {
        Await.until("it is sent", () -> !nodes.get(1).get("/reports").equals("0"));

        assertThat(nodes.get(1).get("/reports")).isEqualTo("1");
    }

    @Test
    void c_counter_withTheLockAroundTheTransaction_isExact() throws Exception {
        Answers counted = onBothNodes(COUNTS, "/counters/right");

        assertThat(Integer.parseInt(nodes.get(0).get("/counters/right"))).isBetween(COUNTS, COUNTS + counted.inDoubt());
    }

    @Test
    void d_counter_withTheLockInsideTheTransaction_losesCounts() throws Exception {
        Answers counted = onBothNodes(COUNTS, "/counters/wrong");

        assertThat(Integer.parseInt(nodes.get(0).get("/counters/wrong"))).isLessThan(COUNTS + counted.inDoubt());
    }

    @Test
    void e_counter_whileRedisFailsAndReturns_losesNoCount() throws Exception {
        int before = Integer.parseInt(nodes.get(0).get("/counters/right"));
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger counted = new AtomicInteger();
        AtomicInteger inDoubt = new AtomicInteger();
        List<Future<?>> counting = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            ShopNode node = nodes.get(thread % nodes.size());
            counting.add(threads.submit(() -> {
                while (!over.get()) {
                    int status = node.send("POST", "/counters/right").statusCode();
                    (status == 200 ? counted : inDoubt).incrementAndGet();
                    LockSupport.parkNanos(
                            TimeUnit.MILLISECONDS.toNanos(20)); // the processor is for the change of stores
                }
                return null;
            }));
        }
        awaitMore(counted);

        redis.kill();
        awaitGranting("jdbc");
        awaitMore(counted);

        redis.start();
        awaitGranting("redis");
        awaitMore(counted);

        over.set(true);
        for (Future<?> each : counting) {
            Await.result(each);
        }
        int value = Integer.parseInt(nodes.get(0).get("/counters/right")) - before;
        assertThat(value).isBetween(counted.get(), counted.get() + inDoubt.get());
        assertThat(nodes.get(0).get("/reports"))
                .as("reports, under a minimum hold that moved along")
                .isEqualTo("1");
    }

    private static void awaitMore(AtomicInteger counted) {
        int goal = counted.get() + COUNTS;
        Await.until("the counter goes on", () -> counted.get() >= goal);
    }

    private static void awaitGranting(String store) {
        for (ShopNode node : nodes) {
            Await.until(
                    store + " grants",
                    () -> node.send("GET", "/actuator/health/locks").body().contains("\"grants\":\"" + store + "\""));
        }
    }

    /**
     * The bodies of requests that succeeded.
     *
     * @param inDoubt how many failed before, and may have had an effect: a database that stands still ends leases
     */
    private record Answers(List<String> bodies, int inDoubt) {}

    /** Posts this often, half of it to each node, and repeats what fails. */
    private static Answers onBothNodes(int times, String path) throws Exception {
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        List<Callable<String>> calls = new ArrayList<>();
        for (int call = 0; call < times; call++) {
            ShopNode node = nodes.get(call % nodes.size());
            calls.add(() -> succeeding(node, path, failures));
        }
        List<String> bodies = new ArrayList<>();
        for (Future<String> each : threads.invokeAll(calls)) {
            bodies.add(Await.result(each));
        }
        return new Answers(bodies, failures.size());
    }

    private static String succeeding(ShopNode node, String path, Queue<String> failures) {
        List<String> body = new ArrayList<>();
        Await.until("it succeeds", () -> {
            HttpResponse<String> response = node.send("POST", path);
            (response.statusCode() == 200 ? body : failures).add(response.body());
            return !body.isEmpty();
        });
        return body.get(0);
    }
}
