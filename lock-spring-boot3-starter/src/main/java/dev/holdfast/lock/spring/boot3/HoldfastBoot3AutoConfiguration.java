package dev.holdfast.lock.spring.boot3;

import dev.holdfast.lock.spring.boot.internal.JdbcAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The addresses of the stores that an application on Boot 3 has configured for itself. */
@AutoConfiguration(beforeName = "dev.holdfast.lock.spring.boot.HoldfastAutoConfiguration")
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
public final class HoldfastBoot3AutoConfiguration {

    /** For Spring. */
    HoldfastBoot3AutoConfiguration() {}

    /** The address of the database of Boot's data source. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcConnectionDetails.class)
    static class JdbcAddressConfiguration {

        @Bean
        JdbcAddress holdfastJdbcAddress(
                ObjectProvider<JdbcConnectionDetails> details, ListableBeanFactory beans, Environment environment) {
            Supplier<JdbcAddress.@Nullable Details> address = () -> {
                JdbcConnectionDetails found = details.getIfUnique();
                return found == null
                        ? null
                        : new JdbcAddress.Details(found.getJdbcUrl(), found.getUsername(), found.getPassword());
            };
            return new JdbcAddress(address, beans, environment);
        }
    }

    /** The address of the Redis of Boot's connection factory. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionDetails.class)
    static class RedisAddressConfiguration {

        @Bean
        Boot3RedisAddress holdfastRedisAddress(
                ObjectProvider<RedisConnectionDetails> details, Environment environment) {
            return new Boot3RedisAddress(details, environment);
        }
    }
}
