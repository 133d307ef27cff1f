package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
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
@ConditionalOnBean({Locks.class, LockAdmin.class, MeterRegistry.class})
public final class HoldfastMetricsAutoConfiguration {

    /** For Spring. */
    HoldfastMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockMetrics holdfastLockMetrics(Locks locks, LockAdmin admin) {
        LockMetrics metrics = new LockMetrics(locks);
        try {
            admin.failoverStatus().ifPresent(metrics::startFrom);
        } catch (LockException e) {
            return metrics; // the first event of a failover shows which store grants
        }
        return metrics;
    }
}
