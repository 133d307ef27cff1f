package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import java.time.Duration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the locks, as {@code locks} below {@code /actuator/health}. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("locks")
@ConditionalOnBean({Locks.class, LockAdmin.class, HoldfastProperties.class})
public final class HoldfastHealthAutoConfiguration {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** For Spring. */
    HoldfastHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "locksHealthIndicator")
    HealthIndicator locksHealthIndicator(Locks locks, LockAdmin admin, HoldfastProperties properties) {
        Duration lease = properties.getLease();
        return new LocksHealthIndicator(locks, admin, lease == null ? DEFAULT_LEASE : lease);
    }
}
