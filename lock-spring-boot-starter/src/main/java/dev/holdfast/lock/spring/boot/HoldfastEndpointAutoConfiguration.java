package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.admin.LockAdmin;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/locks} and {@code /actuator/lockdoctor}. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(LockAdmin.class)
public final class HoldfastEndpointAutoConfiguration {

    /** For Spring. */
    HoldfastEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    LocksEndpoint locksEndpoint(LockAdmin admin) {
        return new LocksEndpoint(admin);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnBean(LocksEndpoint.class)
    @ConditionalOnMissingBean
    LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint) {
        return new LocksEndpointWebExtension(endpoint);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    LockDoctorEndpoint lockDoctorEndpoint(LockAdmin admin) {
        return new LockDoctorEndpoint(admin);
    }
}
