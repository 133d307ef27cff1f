package dev.holdfast.lock.spring;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Registers the beans that need spring-tx, if it is present. They come after those of all configuration classes, so that among
 * advisors of the same, lowest order, ours comes after that of the transactions, and runs inside them.
 */
final class TransactionSupport implements BeanDefinitionRegistryPostProcessor {

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (LockedMethod.TRANSACTIONS) {
            register(registry, "holdfastTransactionManagers", TransactionManagers.class);
            if (LockedMethod.JDBC) {
                register(registry, "holdfastFencedAdvisor", FencedAdvisor.class);
            }
        }
    }

    private static void register(BeanDefinitionRegistry registry, String name, Class<?> type) {
        if (!registry.containsBeanDefinition(name)) {
            RootBeanDefinition definition = new RootBeanDefinition(type);
            definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.registerBeanDefinition(name, definition);
        }
    }
}
