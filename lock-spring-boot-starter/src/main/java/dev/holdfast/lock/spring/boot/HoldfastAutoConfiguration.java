package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.jdbc.JdbcLockStore;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spring.boot.internal.JdbcAddress;
import dev.holdfast.lock.spring.boot.internal.StoreAddress;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * The {@link Locks} of the application, and their administration. The store is that of {@code holdfast.*}, with addresses from
 * Boot's own connections where none are set; or a {@link LockStore} bean, if the application has one. Its tables are created after
 * the application's own.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" // of Boot 3
        })
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
@ImportRuntimeHints(HoldfastRuntimeHints.class)
public final class HoldfastAutoConfiguration {

    /** For Spring. */
    HoldfastAutoConfiguration() {}

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
    @ConditionalOnClass(DataRedisConnectionDetails.class)
    static class RedisAddressConfiguration {

        @Bean
        RedisAddress holdfastRedisAddress(ObjectProvider<DataRedisConnectionDetails> details, Environment environment) {
            return new RedisAddress(details, environment);
        }
    }

    /** The settings for the beans below. */
    @Bean
    @ConditionalOnMissingBean(Locks.class)
    LockSettingsFactory holdfastSettingsFactory(
            Environment environment,
            HoldfastProperties properties,
            ObjectProvider<StoreAddress> addresses,
            ObjectProvider<SslBundles> sslBundles) {
        ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
        return new LockSettingsFactory(
                environment,
                properties,
                addresses.orderedStream().toList(),
                sslBundles::getIfAvailable,
                classLoader == null ? LockSettingsFactory.class.getClassLoader() : classLoader);
    }

    /** The store on the application's own data source, on request. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcLockStore.class)
    @ConditionalOnProperty(name = "holdfast.jdbc.data-source", havingValue = "shared")
    @Conditional(NotInMemory.class)
    @ConditionalOnMissingBean({Locks.class, LockStore.class})
    static class SharedDataSourceConfiguration {

        @Bean(destroyMethod = "close")
        @ConditionalOnBean(DataSource.class)
        @DependsOnDatabaseInitialization
        JdbcLockStore holdfastSharedStore(
                LockSettingsFactory factory,
                @LocksDataSource ObjectProvider<DataSource> marked,
                ObjectProvider<DataSource> all,
                ConfigurableListableBeanFactory beans) {
            LockSettings settings = factory.forBean();
            DataSource dataSource = marked.getIfAvailable(all::getIfUnique);
            List<String> names = List.of(beans.getBeanNamesForType(DataSource.class, true, false));
            if (dataSource == null) {
                throw new LockConfigurationException(
                        "holdfast.jdbc.data-source=shared, and there are several DataSource beans: "
                                + String.join(", ", names)
                                + ". Mark the one that keeps the locks with @LocksDataSource, or one with @Primary");
            }
            names.stream() // it closes after the store
                    .filter(name -> beans.getSingleton(name) == dataSource)
                    .forEach(name -> beans.registerDependentBean(name, "holdfastSharedStore"));
            return LockSettings.inWordsOfSpring(
                    () -> JdbcLockStore.of(dataSource, LockSettingsFactory.namespace(settings)));
        }
    }

    /** A test replaces the provider, which makes the application's choice of connections irrelevant. */
    static final class NotInMemory extends NoneNestedConditions {

        NotInMemory() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(name = "holdfast.provider", havingValue = LockSettingsFactory.MEMORY)
        static final class InMemory {}
    }

    /** Locks of this application context alone. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "holdfast.provider", havingValue = LockSettingsFactory.MEMORY)
    @ConditionalOnMissingBean({Locks.class, LockStore.class})
    static class MemoryConfiguration {

        @Bean
        @ConditionalOnMissingBean
        MemorySpace holdfastMemorySpace() {
            return new MemorySpace();
        }
    }

    /** The locks, which close after every bean that uses them. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    Locks holdfastLocks(
            LockSettingsFactory factory, ObjectProvider<LockStore> stores, ObjectProvider<MemorySpace> memory) {
        LockStore store = stores.getIfAvailable();
        if (store == null && factory.isMemory()) {
            return factory.forMemory().open(memory.getObject().open());
        }
        if (store == null) {
            LockSettings settings = factory.forProvider();
            return factory.isFailFast()
                    ? settings.open()
                    : DeferredLocks.open(settings.get("lock.provider", ""), settings::open);
        }
        return factory.forBean().open(store);
    }

    /** The fence of {@code @Locked(fenced = true)} and of the application, in the namespace of the locks. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LockSettingsFactory.class)
    Fence holdfastFence(LockSettingsFactory factory, ObjectProvider<LockStore> stores) {
        return factory.namespace(stores.getIfAvailable())
                .map(namespace -> Fence.create().withNamespace(namespace.value()))
                .orElseGet(Fence::create);
    }

    @Bean
    static IgnoredSettings holdfastIgnoredSettings(ConfigurableListableBeanFactory beans, Environment environment) {
        return new IgnoredSettings(beans, environment);
    }

    @Bean
    static LocksCloseLast holdfastLocksCloseLast(ConfigurableListableBeanFactory beans) {
        return new LocksCloseLast(beans);
    }

    /** The administration of the store of these locks. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    @ConditionalOnBean(Locks.class)
    LockAdmin holdfastLockAdmin(Locks locks) {
        return locks.admin();
    }
}
