package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.client.RedisUri;
import dev.holdfast.lock.spring.boot.internal.JdbcAddress;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What Boot's own settings of Redis and of the database become. */
@Tag("second-build")
class BootAddressesTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    SslAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    DataSourceAutoConfiguration.class))
            // Without a URL, the data source itself cannot be made.
            .withBean(LazyInitializationBeanFactoryPostProcessor.class)
            .withPropertyValues("holdfast.provider=memory");

    @Test
    void database_hasUrlUserAndPassword() {
        application
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://db/app",
                        "spring.datasource.username=app",
                        "spring.datasource.password=${nothing:p$w}")
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

    /** Every database of lock-jdbc; a database in the memory of this process would exclude no other process. */
    @ParameterizedTest
    @CsvSource({
        "'jdbc:postgresql://a:5432,b:5432/app?targetServerType=primary', true",
        "jdbc:mariadb://db/app?sslMode=trust, true",
        "jdbc:mysql://db:3306/app, true",
        "jdbc:h2:file:/var/lib/app, true",
        "jdbc:h2:tcp://db/mem:app, true",
        "jdbc:h2:mem:app, false",
        "jdbc:sqlite:app.db, true",
        "jdbc:sqlite::memory:, false"
    })
    void database_isTakenByItsUrl(String url, boolean isKnown) {
        application.withPropertyValues("spring.datasource.url=" + url).run(context -> {
            JdbcAddress address = context.getBean(JdbcAddress.class);
            assertThat(address.isKnown()).isEqualTo(isKnown);
            assertThat(address.settings()).containsEntry("lock.jdbc.url", url);
        });
    }

    @Test
    void standaloneRedis_hasHostPortAndDatabase() {
        redis(
                settings -> assertThat(settings)
                        .containsOnly(
                                Map.entry("lock.redis.uri", "redis://cache:6380/2"),
                                Map.entry("lock.redis.username", "app"),
                                Map.entry("lock.redis.password", "p@/w")),
                "spring.data.redis.host=cache",
                "spring.data.redis.port=6380",
                "spring.data.redis.database=2",
                "spring.data.redis.username=app",
                "spring.data.redis.password=p@/w");
    }

    @Test
    void urlOfRedis_isTakenApart() {
        redis(
                settings -> assertThat(settings)
                        .containsEntry("lock.redis.uri", "rediss://[::1]:6380/3")
                        .containsEntry("lock.redis.password", "secret"),
                "spring.data.redis.url=rediss://:secret@[::1]:6380/3");
    }

    @Test
    void sentinels_haveMasterAndCredentialsOfTheirOwn() {
        redis(
                settings -> assertThat(settings)
                        .containsEntry("lock.redis.uri", "redis-sentinel://s1:26379,s2:26380/main/1")
                        .containsEntry("lock.redis.sentinel-username", "watcher")
                        .containsEntry("lock.redis.sentinel-password", "of-sentinels")
                        .containsEntry("lock.redis.password", "of-redis"),
                "spring.data.redis.sentinel.nodes=s1:26379,s2:26380",
                "spring.data.redis.sentinel.master=main",
                "spring.data.redis.sentinel.username=watcher",
                "spring.data.redis.sentinel.password=of-sentinels",
                "spring.data.redis.password=of-redis",
                "spring.data.redis.database=1");
    }

    @Test
    void cluster_hasItsNodes() {
        redis(
                settings -> assertThat(settings).containsEntry("lock.redis.uri", "redis-cluster://c1:7000,c2:7001"),
                "spring.data.redis.cluster.nodes=c1:7000,c2:7001");
    }

    @Test
    void tlsWithoutBundle_isTheTlsOfJava() {
        redis(
                settings -> assertThat(settings).containsEntry("lock.redis.uri", "rediss://cache:6379/0"),
                "spring.data.redis.host=cache",
                "spring.data.redis.ssl.enabled=true");
    }

    @Test
    void tlsWithBundle_isTlsWithItsCertificates() {
        application
                .withPropertyValues(
                        "spring.data.redis.ssl.bundle=mine",
                        "spring.ssl.bundle.jks.mine.options.ciphers=TLS_AES_128_GCM_SHA256")
                .run(context -> {
                    RedisAddress address = context.getBean(RedisAddress.class);
                    assertThat(address.settings().get("lock.redis.uri")).startsWith("rediss://");
                    assertThat(address.sslBundle())
                            .isSameAs(context.getBean(SslBundles.class).getBundle("mine"));
                });
    }

    /** As Hikari sets it on each connection, whatever the URL says. */
    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db/app, jdbc:postgresql://db/app?currentSchema=my+shop",
        "jdbc:postgresql://db/app?a=b, jdbc:postgresql://db/app?a=b&currentSchema=my+shop",
        "jdbc:postgresql://db/app?currentSchema=x, jdbc:postgresql://db/app?currentSchema=my+shop",
        "jdbc:postgresql://db/app?currentSchema=x&a=b, jdbc:postgresql://db/app?a=b&currentSchema=my+shop",
        "jdbc:postgresql://db/app?a=b&currentSchema=x, jdbc:postgresql://db/app?a=b&currentSchema=my+shop",
        "jdbc:h2:tcp://db/app, 'jdbc:h2:tcp://db/app;SCHEMA=\"my shop\"'",
        "jdbc:mariadb://db/app, jdbc:mariadb://db/app",
        "jdbc:mysql://db/app, jdbc:mysql://db/app"
    })
    void schemaOfThePool_isTheSchemaOfTheLocks(String url, String taken) {
        application
                .withPropertyValues("spring.datasource.url=" + url, "spring.datasource.hikari.schema=my shop")
                .run(context -> assertThat(context.getBean(JdbcAddress.class).settings())
                        .containsEntry("lock.jdbc.url", taken));
    }

    private void redis(Consumer<Map<String, String>> assertion, String... properties) {
        application.withPropertyValues(properties).run(context -> {
            Map<String, String> settings = context.getBean(RedisAddress.class).settings();
            assertion.accept(settings);
            assertThat(RedisUri.of(settings.get("lock.redis.uri"))).isNotNull();
        });
    }
}
