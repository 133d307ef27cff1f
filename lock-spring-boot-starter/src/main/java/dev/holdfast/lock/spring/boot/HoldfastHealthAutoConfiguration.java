package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spring.boot.internal.LocksHealth;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The health of the locks, as {@code locks} below {@code /actuator/health}. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("locks")
@ConditionalOnBean({Locks.class, LockAdmin.class, HoldfastProperties.class})
public final class HoldfastHealthAutoConfiguration {

    /** For Spring. */
    HoldfastHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "locksHealthIndicator")
    HealthIndicator locksHealthIndicator(Locks locks, LockAdmin admin, Environment environment) {
        return new LocksHealthIndicator(new LocksHealth(locks, admin, environment));
    }
}
