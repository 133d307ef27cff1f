package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportAware;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The beans that make {@link Locked} effective, for {@link EnableLocks} and for auto-configurations, which import it. It needs
 * one bean of type {@link Locks}, or a primary one, as soon as a method is locked.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(LockedProxyRegistrar.class)
public class LockedConfiguration implements ImportAware {

    /** The interceptor's default order: inside Spring Security's (up to 600), outside {@code @Transactional}'s. */
    public static final int ORDER = 1000;

    /** The property of the environment that overrides {@link EnableLocks#order()}. */
    public static final String ORDER_PROPERTY = "holdfast.aop.order";

    /** Whether micrometer-observation is present, which Spring brings unless an application excludes it. */
    private static final boolean OBSERVATIONS = ClassUtils.isPresent(
            "io.micrometer.observation.ObservationRegistry", LockedConfiguration.class.getClassLoader());

    private int order = ORDER;

    /** For Spring. */
    public LockedConfiguration() {}

    @Override
    public void setImportMetadata(AnnotationMetadata importing) {
        Map<String, @Nullable Object> enabled = importing.getAnnotationAttributes(EnableLocks.class.getName());
        if (enabled != null && enabled.get("order") instanceof Integer chosen) {
            order = chosen;
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods holdfastLockedMethods(ConfigurableBeanFactory beanFactory) {
        return new LockedMethods(beanFactory);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    LockedAdvisor holdfastLockedAdvisor(
            LockedMethods methods, ConfigurableListableBeanFactory beanFactory, Environment environment) {
        Supplier<Locks> locks = SingletonSupplier.of(() -> LockedStartup.locks(beanFactory));
        ObservedCalls observed = OBSERVATIONS ? ObservedCalls.by(beanFactory) : null;
        ReactiveCalls reactive = LockedResult.REACTOR ? new ReactiveCalls(locks) : null;
        LockedInterceptor interceptor =
                new LockedInterceptor(methods, locks, RequestWaits.of(environment), observed, reactive);
        return new LockedAdvisor(methods, method -> true, interceptor, order(environment));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedStartup holdfastLockedStartup(LockedMethods methods, ConfigurableListableBeanFactory beanFactory) {
        return new LockedStartup(methods, beanFactory);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TransactionSupport holdfastTransactionSupport() {
        return new TransactionSupport();
    }

    private int order(Environment environment) {
        try {
            return environment.getProperty(ORDER_PROPERTY, Integer.class, order);
        } catch (RuntimeException e) {
            throw new LockConfigurationException(
                    ORDER_PROPERTY + " = '" + environment.getProperty(ORDER_PROPERTY) + "' is not a whole number", e);
        }
    }
}
