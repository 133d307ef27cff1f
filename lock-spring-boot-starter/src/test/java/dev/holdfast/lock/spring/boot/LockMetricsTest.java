package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spring.micrometer.LockMetrics;
import dev.holdfast.lock.testing.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The application's registry has the metrics of its locks. */
@Tag("second-build")
class LockMetricsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    HoldfastMetricsAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class))
            .withPropertyValues("holdfast.provider=memory");

    @Test
    void grants_areCountedByKindAndNeverByName() {
        application.run(context -> {
            context.getBean(Locks.class).named("invoice:42").acquire().close();

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            Await.until("the grant is counted", () -> count(registry) > 0);
            Collection<Counter> counters =
                    registry.find("holdfast.lock.acquire").counters();
            assertThat(counters)
                    .anySatisfy(counter -> {
                        assertThat(counter.getId().getTag("lock")).isEqualTo("invoice");
                        assertThat(counter.getId().getTag("provider")).isEqualTo("memory");
                    })
                    .noneMatch(counter -> counter.getId().toString().contains("42"));
        });
    }

    @Test
    void grantingStore_beforeTheFirstEventOfAFailover_isThatOfTheStart() {
        FailoverStatus status = new FailoverStatus(
                "redis", "jdbc", "jdbc", 3, Instant.EPOCH, "no reply", Duration.ofSeconds(10), 2, 1, 7);
        LockAdmin admin = fake(LockAdmin.class, Map.of("failoverStatus", Optional.of(status)));
        Locks locks = fake(Locks.class, Map.of("provider", "composite", "admin", admin));
        application.withBean(Locks.class, () -> locks).run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            Await.until(
                    "the composite has been asked",
                    () -> granting(registry).equals(Map.of("primary", 0.0, "fallback", 1.0, "none", 0.0)));
        });
    }

    private static Map<String, Double> granting(MeterRegistry registry) {
        return registry.find("holdfast.lock.granting.store").gauges().stream()
                .collect(Collectors.toMap(gauge -> gauge.getId().getTag("store"), Gauge::value));
    }

    private static <T> T fake(Class<T> type, Map<String, Object> replies) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> replies.get(method.getName())));
    }

    private static double count(MeterRegistry registry) {
        return registry.find("holdfast.lock.acquire").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void application_withoutMicrometer_hasLocks() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(HoldfastAutoConfiguration.class, HoldfastMetricsAutoConfiguration.class))
                .withPropertyValues("holdfast.provider=memory")
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context).hasSingleBean(Locks.class).doesNotHaveBean(LockMetrics.class));
    }
}
