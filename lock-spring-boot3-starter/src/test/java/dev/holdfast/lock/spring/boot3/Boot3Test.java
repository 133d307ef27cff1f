package dev.holdfast.lock.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.lock.spring.boot.HoldfastEndpointAutoConfiguration;
import dev.holdfast.lock.spring.boot.LocksEndpoint;
import dev.holdfast.lock.spring.boot.internal.JdbcAddress;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the starter does on Spring Boot 3 by classes of its own; the sample shows the rest. */
@Tag("second-build")
class Boot3Test {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    HoldfastEndpointAutoConfiguration.class,
                    HoldfastBoot3AutoConfiguration.class,
                    HoldfastBoot3HealthAutoConfiguration.class,
                    SslAutoConfiguration.class,
                    RedisAutoConfiguration.class,
                    DataSourceAutoConfiguration.class))
            // Without a URL, the data source itself cannot be made.
            .withBean(LazyInitializationBeanFactoryPostProcessor.class)
            .withPropertyValues("holdfast.provider=memory", "management.endpoints.web.exposure.include=locks");

    @Test
    void application_onBoot3_hasLocksHealthAndEndpoint() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
        application.run(context -> {
            assertThat(context).hasSingleBean(Locks.class).hasSingleBean(LocksEndpoint.class);
            Health health = context.getBean("locksHealthIndicator", HealthIndicator.class)
                    .health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("provider", "memory");
        });
    }

    @Test
    void health_switchedOff_leavesTheRest() {
        application
                .withPropertyValues("management.health.locks.enabled=false")
                .run(context -> assertThat(context).hasSingleBean(Locks.class).doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void starterOfBoot4_alone_failsTheStartAndNamesTheOther() {
        application
                .withClassLoader(new FilteredClassLoader(HoldfastBoot3AutoConfiguration.class))
                .run(context -> assertThatThrownBy(() -> context.getBean(Locks.class))
                        .rootCause()
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContaining(SpringBootVersion.getVersion())
                        .hasMessageContaining("dev.holdfast:lock-spring-boot3-starter"));
    }

    @Test
    void connectionsOfBoot_missing_leaveTheRest() {
        application
                .withClassLoader(new FilteredClassLoader(RedisConnectionDetails.class, JdbcConnectionDetails.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(Locks.class)
                        .doesNotHaveBean(Boot3RedisAddress.class)
                        .doesNotHaveBean(JdbcAddress.class));
    }

    @Test
    void database_hasUrlUserAndPassword() {
        application
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://db/app",
                        "spring.datasource.username=app",
                        "spring.datasource.password=p$w")
                .run(context -> assertThat(context.getBean(JdbcAddress.class).settings())
                        .containsOnly(
                                Map.entry("lock.jdbc.url", "jdbc:postgresql://db/app"),
                                Map.entry("lock.jdbc.username", "app"),
                                Map.entry("lock.jdbc.password", "p$w")));
    }

    @Test
    void database_thatIsNotConfigured_isNotKnown() {
        application.run(context ->
                assertThat(context.getBean(JdbcAddress.class).isKnown()).isFalse());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spring.data.redis.host=cache               | spring.data.redis.database=2 | redis://cache:6379/2",
                "spring.data.redis.url=rediss://[::1]:6380/3 | a=b | rediss://[::1]:6380/3",
                "spring.data.redis.host=cache               | spring.data.redis.ssl.enabled=true | rediss://cache:6379/0",
                "spring.data.redis.sentinel.nodes=s1:1,s2:2 | spring.data.redis.sentinel.master=main | redis-sentinel://s1:1,s2:2/main/0",
                "spring.data.redis.cluster.nodes=c1:7000,c2:7001 | a=b | redis-cluster://c1:7000,c2:7001",
                "spring.data.redis.cluster.nodes=c1:7000 | spring.data.redis.ssl.enabled=true | rediss-cluster://c1:7000"
            })
    void redis_ofBoot_isTheRedisOfTheLocks(String first, String second, String uri) {
        application
                .withPropertyValues(first, second, "spring.data.redis.username=app", "spring.data.redis.password=p@/w")
                .run(context -> assertThat(
                                context.getBean(Boot3RedisAddress.class).settings())
                        .containsEntry("lock.redis.uri", uri));
    }

    @Test
    void redis_hasTheCredentialsOfBoot() {
        application
                .withPropertyValues(
                        "spring.data.redis.sentinel.nodes=s1:26379",
                        "spring.data.redis.sentinel.master=main",
                        "spring.data.redis.sentinel.username=watcher",
                        "spring.data.redis.sentinel.password=of-sentinels",
                        "spring.data.redis.username=app",
                        "spring.data.redis.password=of-redis")
                .run(context -> assertThat(
                                context.getBean(Boot3RedisAddress.class).settings())
                        .containsEntry("lock.redis.username", "app")
                        .containsEntry("lock.redis.password", "of-redis")
                        .containsEntry("lock.redis.sentinel-username", "watcher")
                        .containsEntry("lock.redis.sentinel-password", "of-sentinels"));
    }

    @ParameterizedTest
    @CsvSource({
        "spring.data.redis.host=cache, a=b",
        "spring.data.redis.cluster.nodes=c1:7000, a=b",
        "spring.data.redis.sentinel.nodes=s1:1, spring.data.redis.sentinel.master=main"
    })
    void tlsWithBundle_isTlsWithItsCertificates(String servers, String master) {
        application
                .withPropertyValues(
                        servers,
                        master,
                        "spring.data.redis.ssl.bundle=mine",
                        "spring.ssl.bundle.jks.mine.options.ciphers=TLS_AES_128_GCM_SHA256")
                .run(context -> {
                    Boot3RedisAddress address = context.getBean(Boot3RedisAddress.class);
                    assertThat(address.settings().get("lock.redis.uri")).startsWith("rediss");
                    assertThat(address.sslBundle())
                            .isSameAs(context.getBean(SslBundles.class).getBundle("mine"));
                });
    }
}
