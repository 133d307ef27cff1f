package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.micrometer.LockMetrics;
import dev.holdfast.lock.testing.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The application's registry has the metrics of its locks. */
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
