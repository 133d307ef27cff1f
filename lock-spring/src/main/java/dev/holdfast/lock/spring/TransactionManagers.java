package dev.holdfast.lock.spring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/** Adds a listener to all transaction managers: those of this context as they are created, and those of its ancestors. */
final class TransactionManagers implements BeanPostProcessor, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(TransactionManagers.class);

    private final ListableBeanFactory beanFactory;

    TransactionManagers(ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof TransactionManager manager) {
            observe(manager, beanName);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beanFactory, ConfigurableTransactionManager.class, true, false)
                .forEach((name, manager) -> observe(manager, name));
    }

    private static void observe(TransactionManager manager, String beanName) {
        if (manager instanceof ConfigurableTransactionManager configurable) {
            if (configurable.getTransactionExecutionListeners().stream()
                    .noneMatch(TransactionHolds.class::isInstance)) {
                configurable.addListener(new TransactionHolds());
            }
        } else if (manager instanceof PlatformTransactionManager) {
            log.warn(
                    "the transaction manager '{}' does not report when a transaction begins ({} is no"
                            + " ConfigurableTransactionManager), so one that runs under a lost lock is not rolled back",
                    beanName,
                    manager.getClass().getName());
        }
    }
}
