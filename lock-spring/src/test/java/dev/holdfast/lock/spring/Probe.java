package dev.holdfast.lock.spring;

import dev.holdfast.lock.Locks;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;

/** Asks the store of a context whether a lock is free. */
final class Probe implements BeanFactoryAware {

    private BeanFactory beanFactory;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    boolean isFree(String name) {
        return beanFactory
                .getBean(Locks.class)
                .named(name)
                .tryAcquire()
                .map(lease -> {
                    lease.close();
                    return true;
                })
                .orElse(false);
    }
}
