package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import java.util.HashSet;
import java.util.Set;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Checks at the end of the start whether other beans meet the needs of the locked methods. */
final class LockedStartup implements SmartInitializingSingleton {

    private final LockedMethods methods;
    private final ConfigurableListableBeanFactory beanFactory;

    LockedStartup(LockedMethods methods, ConfigurableListableBeanFactory beanFactory) {
        this.methods = methods;
        this.beanFactory = beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        requireNoLifecycleMethods();
        for (LockedMethod method : methods.found()) {
            Locks locks = locks(beanFactory);
            try {
                method.checkOptions(locks);
            } catch (IllegalArgumentException | UnsupportedOperationException e) {
                throw new LockConfigurationException(method + ": " + e.getMessage(), e);
            }
        }
    }

    /** The lifecycle methods that a bean definition names; those of annotations and interfaces are seen on the method itself. */
    private void requireNoLifecycleMethods() {
        for (String bean : methods.found().isEmpty() ? new String[0] : beanFactory.getBeanDefinitionNames()) {
            BeanDefinition definition = beanFactory.getMergedBeanDefinition(bean);
            Set<String> called = new HashSet<>();
            called.add(String.valueOf(definition.getInitMethodName()));
            called.add(String.valueOf(definition.getDestroyMethodName()));
            Class<?> type = beanFactory.getType(bean, false);
            for (LockedMethod method : methods.found()) {
                if (type != null
                        && called.contains(method.method().getName())
                        && method.method().getParameterCount() == 0
                        && method.targetClass().equals(ClassUtils.getUserClass(type))) {
                    throw new LockConfigurationException(
                            method + ": it is the init or destroy method of the bean '" + bean
                                    + "', which Spring calls on the bean itself and not through its proxy, so it would run"
                                    + " without the lock; move what needs the lock to another method");
                }
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
