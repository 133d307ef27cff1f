package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.JdbcLockStore;
import dev.holdfast.lock.spring.boot.internal.JdbcAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Everything but the locks themselves is optional. */
@Tag("second-build")
class MissingModulesTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    HoldfastEndpointAutoConfiguration.class,
                    HoldfastHealthAutoConfiguration.class))
            .withPropertyValues("holdfast.provider=memory", "management.endpoints.web.exposure.include=locks");

    @Test
    void everything_present_hasHealthAndAddresses() {
        application.run(context -> assertThat(context)
                .hasSingleBean(HealthIndicator.class)
                .hasSingleBean(RedisAddress.class)
                .hasSingleBean(JdbcAddress.class));
    }

    @Test
    void health_missing_leavesTheRest() {
        application
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasSingleBean(Locks.class).doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void health_switchedOff_leavesTheRest() {
        application
                .withPropertyValues("management.health.locks.enabled=false")
                .run(context -> assertThat(context).hasSingleBean(Locks.class).doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void actuator_missing_leavesTheRest() {
        application
                .withClassLoader(new FilteredClassLoader(
                        Endpoint.class.getPackageName(), "org.springframework.boot.actuate.autoconfigure"))
                .run(context -> assertThat(context).hasSingleBean(Locks.class).doesNotHaveBean("locksEndpoint"));
    }

    @Test
    void connectionsOfBoot_missing_leaveTheRest() {
        application
                .withClassLoader(new FilteredClassLoader(DataRedisConnectionDetails.class, JdbcConnectionDetails.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(Locks.class)
                        .doesNotHaveBean(RedisAddress.class)
                        .doesNotHaveBean(JdbcAddress.class));
    }

    @Test
    void storeOnSql_missing_refusesASharedDataSource() {
        application
                .withClassLoader(new FilteredClassLoader(JdbcLockStore.class))
                .withPropertyValues("holdfast.provider=jdbc", "holdfast.jdbc.data-source=shared")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("holdfast.jdbc.data-source=shared")
                        .hasMessageContaining("dev.holdfast:lock-jdbc"));
    }
}
