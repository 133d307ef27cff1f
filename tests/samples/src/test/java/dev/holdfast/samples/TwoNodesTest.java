package dev.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Two nodes of the shop on one PostgreSQL and one Redis: each sees what the lock is for, and the last test has Redis fail. */
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
        List<Boolean> sales =
                onBothNodes(CHAIRS + 20, node -> Boolean.parseBoolean(node.post("/articles/chair/sales")));

        assertThat(sales).filteredOn(sold -> sold).hasSize(CHAIRS);
        assertThat(nodes.get(0).get("/articles/chair")).isEqualTo("0");
    }

    @Test
    void b_nightlyReport_scheduledByBothNodes_isSentOnce() throws Exception {
        assertThat(nodes.get(1).get("/reports")).isEqualTo("1");
    }

    @Test
    void c_counter_withTheLockAroundTheTransaction_isExact() throws Exception {
        onBothNodes(COUNTS, node -> node.post("/counters/right"));

        assertThat(nodes.get(0).get("/counters/right")).isEqualTo(Integer.toString(COUNTS));
    }

    @Test
    void d_counter_withTheLockInsideTheTransaction_losesCounts() throws Exception {
        onBothNodes(COUNTS, node -> node.post("/counters/wrong"));

        assertThat(Integer.parseInt(nodes.get(0).get("/counters/wrong"))).isLessThan(COUNTS);
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

    private static <T> List<T> onBothNodes(int times, Request<T> request) throws Exception {
        List<Callable<T>> calls = new ArrayList<>();
        for (int call = 0; call < times; call++) {
            ShopNode node = nodes.get(call % nodes.size());
            calls.add(() -> request.to(node));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> each : threads.invokeAll(calls)) {
            results.add(Await.result(each));
        }
        return results;
    }

    @FunctionalInterface
    private interface Request<T> {
        T to(ShopNode node) throws Exception;
    }
}
