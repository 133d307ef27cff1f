package dev.holdfast.lock.spring.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.locks.SteppedTime;
import dev.holdfast.lock.locks.WatchedStore;
import dev.holdfast.lock.testing.Await;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The metrics of what happens to locks, in stepped time. */
class LockMetricsTest {

    private static final String NAME = "invoice:42";
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final Locks elsewhere =
            DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final MeterRegistry registry = new SimpleMeterRegistry();

    @AfterEach
    void close() {
        store.heal(NAME);
        time.close(locks, elsewhere);
    }

    private LockMetrics bind(Function<String, @Nullable String> categoryOfName, int mostCategories) {
        LockMetrics metrics = new LockMetrics(
                locks, categoryOfName, mostCategories, () -> time.now().nanos());
        metrics.bindTo(registry);
        return metrics;
    }

    private LockMetrics bind() {
        return bind(LockCategories::beforeColon, 100);
    }

    private double value(String name, String... tags) {
        Meter meter = registry.find(name).tags(tags).meter();
        return meter == null ? 0 : meter.measure().iterator().next().getValue();
    }

    private void await(String name, double value, String... tags) {
        Await.until(name + " is " + value, () -> value(name, tags) == value);
    }

    private double seconds(String name) {
        return registry.get(name).timer().totalTime(TimeUnit.SECONDS);
    }

    @Test
    void grantAndRelease_areCountedWithTheirTimes() throws Exception {
        bind();
        Lease first = elsewhere.named(NAME).tryAcquire().orElseThrow();
        CompletableFuture<Lease> waiting = locks.named(NAME).acquireAsync();
        time.settle();
        time.pass(Duration.ofSeconds(4));
        first.release();
        time.passUntil("it is granted", waiting::isDone);
        Lease second = waiting.get();
        time.pass(Duration.ofSeconds(3));
        second.release();

        await("holdfast.lock.held", 1, "lock", "invoice", "provider", "custom");
        assertThat(seconds("holdfast.lock.held")).isGreaterThanOrEqualTo(3);
        assertThat(value("holdfast.lock.wait", "lock", "invoice")).isEqualTo(1);
        assertThat(seconds("holdfast.lock.wait")).isGreaterThanOrEqualTo(4);
        assertThat(value("holdfast.lock.acquire", "lock", "invoice", "result", "granted"))
                .isEqualTo(1);
        assertThat(value("holdfast.lock.acquire", "result", "busy")).isZero();
        assertThat(value("holdfast.lock.lost")).isZero();
    }

    @Test
    void busyLock_isCountedWithTheTimeWaited() {
        bind();
        assertThat(elsewhere.named(NAME).tryAcquire()).isPresent();
        CompletableFuture<Lease> waiting = locks.named(NAME).acquireAsync(Duration.ofSeconds(2));
        time.passUntil("it gives up", waiting::isDone);

        await("holdfast.lock.acquire", 1, "lock", "invoice", "result", "busy");
        await("holdfast.lock.busy", 1);
        assertThat(seconds("holdfast.lock.busy")).isGreaterThanOrEqualTo(2);
        assertThat(value("holdfast.lock.unavailable")).isZero();
        assertThat(value("holdfast.lock.outage")).isZero();
    }

    @Test
    void withdrawnCall_isCountedAsCancelled() {
        bind();
        assertThat(elsewhere.named(NAME).tryAcquire()).isPresent();
        CompletableFuture<Lease> waiting = locks.named(NAME).acquireAsync();
        assertThat(waiting.cancel(false)).isTrue();

        await("holdfast.lock.acquire", 1, "result", "cancelled");
        assertThat(value("holdfast.lock.busy")).isZero();
    }

    @Test
    void silentStore_isAnOutageUntilItAnswers() {
        bind();
        store.cut(NAME);
        CompletableFuture<Lease> waiting = locks.named(NAME).acquireAsync();
        time.passUntil("it gives up", waiting::isDone);

        await("holdfast.lock.acquire", 1, "result", "unavailable");
        await("holdfast.lock.unavailable", 1);
        assertThat(value("holdfast.lock.outage")).isEqualTo(1);
        store.heal(NAME);
        assertThat(locks.named(NAME).tryAcquire()).isPresent();
        await("holdfast.lock.outage", 0);
    }

    @Test
    void silentStore_thatAnswersAQuestion_isNoOutageAnyMore() {
        bind();
        store.cut(NAME);
        CompletableFuture<Lease> waiting = locks.named(NAME).acquireAsync();
        time.passUntil("it gives up", waiting::isDone);
        await("holdfast.lock.outage", 1);

        time.pass(Duration.ofSeconds(10));
        await("holdfast.lock.outage", 0);
    }

    @Test
    void unansweredRenewal_isAnUnconfirmedLeaseUntilConfirmed() {
        bind();
        assertThat(locks.named(NAME).tryAcquire()).isPresent();
        store.cut(NAME);
        time.pass(LEASE.dividedBy(3));
        await("holdfast.lock.unconfirmed", 1);
        assertThat(value("holdfast.lock.outage")).isEqualTo(1);

        store.heal(NAME);
        time.pass(Duration.ofSeconds(5));
        await("holdfast.lock.unconfirmed", 0);
        assertThat(value("holdfast.lock.outage")).isZero();
        assertThat(value("holdfast.lock.lost")).isZero();
    }

    @Test
    void lostLease_isCountedOnceAndNoLongerUnconfirmed() {
        bind();
        assertThat(locks.named(NAME).tryAcquire()).isPresent();
        store.cut(NAME);
        time.pass(LEASE);

        await("holdfast.lock.lost", 1, "lock", "invoice");
        assertThat(value("holdfast.lock.held")).isEqualTo(1);
        assertThat(value("holdfast.lock.unconfirmed")).isZero();
    }

    @Test
    void lossCounter_beginsAtZeroWithTheFirstGrant() {
        bind();
        assertThat(locks.named(NAME).tryAcquire()).isPresent();

        await("holdfast.lock.acquire", 1, "result", "granted");
        assertThat(registry.get("holdfast.lock.lost")
                        .tag("lock", "invoice")
                        .counter()
                        .count())
                .isZero();
        assertThat(registry.get("holdfast.lock.acquire")
                        .tag("result", "unavailable")
                        .counter()
                        .count())
                .isZero();
    }

    @Test
    void leases_ofEachKind_areCountedApart() throws Exception {
        bind();
        Lease reader = locks.named(NAME).shared().acquire();
        assertThat(locks.named(NAME).tryAcquire()).isEmpty();
        reader.release();
        locks.semaphore(NAME, 3).acquire(2).release();
        locks.named(NAME).acquire().release();

        await("holdfast.lock.held", 1, "lock", "invoice", "kind", "exclusive");
        assertThat(value("holdfast.lock.held", "lock", "invoice", "kind", "shared"))
                .isEqualTo(1);
        assertThat(value("holdfast.lock.held", "lock", "invoice", "kind", "permits"))
                .isEqualTo(1);
        assertThat(value("holdfast.lock.acquire", "kind", "exclusive", "result", "busy"))
                .isEqualTo(1);
        assertThat(value("holdfast.lock.acquire", "kind", "shared", "result", "granted"))
                .isEqualTo(1);
    }

    @Test
    void manyNames_areFewCategories() {
        bind(LockCategories::beforeColon, 3);
        for (int number = 0; number < 50; number++) {
            take("invoice:" + number);
            take("5c0e-" + number + "-a1b2");
            take("kind" + (char) ('a' + number % 26) + ":1");
        }
        take("nightly");

        await("holdfast.lock.acquire", 50, "lock", "invoice", "result", "granted");
        Await.until(
                "all are counted",
                () -> registry.find("holdfast.lock.wait").timers().stream()
                                .mapToLong(timer -> timer.count())
                                .sum()
                        == 151);
        assertThat(categories()).hasSize(4).contains("invoice", "other");
    }

    private void take(String name) {
        locks.named(name).tryAcquire().orElseThrow().close();
    }

    private Set<String> categories() {
        return registry.find("holdfast.lock.wait").meters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("lock")))
                .collect(Collectors.toSet());
    }

    @Test
    void categories_ofNames_areNeverAnId() {
        assertThat(LockCategories.beforeColon("invoice:42")).isEqualTo("invoice");
        assertThat(LockCategories.beforeColon("a:b:c")).isEqualTo("a");
        assertThat(LockCategories.beforeColon("nightly-report")).isEqualTo("nightly-report");
        assertThat(LockCategories.beforeColon("invoice-42")).isEqualTo("other");
        assertThat(LockCategories.beforeColon("0b3e9c52-9f3c-4a0e-8a55-6c2c3d2d9d52"))
                .isEqualTo("other");
        assertThat(new LockCategories(LockCategories::beforeColon, 100).of(":42"))
                .isEqualTo("other");
    }

    @Test
    void categories_ofTheCallersFunction_areTaken() {
        bind(name -> name.startsWith("x") ? null : name.substring(0, 1), 100);
        take("alpha");
        take("xray");

        await("holdfast.lock.held", 1, "lock", "a");
        await("holdfast.lock.held", 1, "lock", "other");
    }

    @Test
    void categories_ofAFunctionThatFails_areOther() {
        bind(
                name -> {
                    throw new IllegalStateException("a defect of the application");
                },
                100);
        take(NAME);

        await("holdfast.lock.held", 1, "lock", "other");
        assertThatThrownBy(() -> new LockMetrics(locks, LockCategories::beforeColon, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }

    @Test
    void bindTo_severalRegistries_countsOnceInEach() {
        LockMetrics metrics = bind();
        metrics.bindTo(registry);
        MeterRegistry another = new SimpleMeterRegistry();
        metrics.bindTo(another);
        DistributedLock lock = locks.named(NAME);
        lock.tryAcquire().orElseThrow().close();

        await("holdfast.lock.held", 1);
        Await.until(
                "the other one, too", () -> another.find("holdfast.lock.held").timer() != null);
        assertThat(another.get("holdfast.lock.held").timer().count()).isEqualTo(1);
        assertThat(value("holdfast.lock.acquire", "result", "granted")).isEqualTo(1);
    }

    /** Only a change of stores is an event: a composite may have none for as long as the process lives. */
    @Test
    void grantingStore_ofACompositeThatHasNotAnswered_isKnownOnceItDoes() {
        AtomicBoolean isDown = new AtomicBoolean(true);
        FailoverStatus status = new FailoverStatus(
                "redis", "jdbc", "jdbc", 3, Instant.EPOCH, "no reply", Duration.ofSeconds(10), 2, 1, 7);
        LockAdmin admin = fake(LockAdmin.class, method -> {
            if (isDown.get()) {
                throw new LockUnavailableException("no answer", null);
            }
            return Optional.of(status);
        });
        Locks composite = fake(Locks.class, method -> switch (method) {
            case "provider" -> "composite";
            case "admin" -> admin;
            default -> null;
        });

        new LockMetrics(composite).bindTo(registry);

        assertThat(value("holdfast.lock.granting.store", "store", "fallback")).isNaN();
        isDown.set(false);
        await("holdfast.lock.granting.store", 1, "store", "fallback");
        assertThat(value("holdfast.lock.granting.store", "store", "primary")).isZero();
    }

    private static <T> T fake(Class<T> type, Function<String, @Nullable Object> replies) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> replies.apply(method.getName())));
    }
}
