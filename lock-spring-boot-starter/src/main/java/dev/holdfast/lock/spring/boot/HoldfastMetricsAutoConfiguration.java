package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.micrometer.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The metrics of the locks. An application that derives the tag {@code lock} in another way defines a {@link LockMetrics} bean. */
@AutoConfiguration(
        after = HoldfastAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            // of Boot 3
            "org.springframework.boot.actuate.autoconfigure.metrics.MetricsAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, LockMetrics.class})
@ConditionalOnBean({Locks.class, MeterRegistry.class})
public final class HoldfastMetricsAutoConfiguration {

    /** For Spring. */
    HoldfastMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockMetrics holdfastLockMetrics(Locks locks) {
        return new LockMetrics(locks);
    }
}
