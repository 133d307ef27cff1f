package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Checks at the end of the start what the locked methods need of other beans. */
final class LockedStartup implements SmartInitializingSingleton {

    private final LockedMethods methods;
    private final ConfigurableListableBeanFactory beanFactory;

    LockedStartup(LockedMethods methods, ConfigurableListableBeanFactory beanFactory) {
        this.methods = methods;
        this.beanFactory = beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (LockedMethod method : methods.found()) {
            Locks locks = locks(beanFactory);
            try {
                method.checkLengths(locks);
            } catch (IllegalArgumentException e) {
                throw new LockConfigurationException(method + ": " + e.getMessage(), e);
            }
        }
    }

    /**
     * The locks of the application.
     *
     * @throws LockConfigurationException if there is not exactly one bean, and no primary one
     */
    static Locks locks(ConfigurableListableBeanFactory beanFactory) {
        try {
            return beanFactory.getBean(Locks.class);
        } catch (NoSuchBeanDefinitionException e) { // none, or several
            throw new LockConfigurationException(
                    "@Locked needs one bean of type " + Locks.class.getName() + ", or a primary one: " + e.getMessage(),
                    e);
        }
    }
}
