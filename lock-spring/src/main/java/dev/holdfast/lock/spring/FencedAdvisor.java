package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import javax.sql.DataSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Lets the transactions of methods with {@code fenced = true} enter the fence: inside of the advisor for transactions. */
@SuppressWarnings("serial") // as the other advisors of Spring, serializable by inheritance only
final class FencedAdvisor extends LockedAdvisor implements SmartInitializingSingleton {

    private final transient LockedMethods methods;
    private final transient ConfigurableListableBeanFactory beanFactory;

    FencedAdvisor(LockedMethods methods, ConfigurableListableBeanFactory beanFactory) {
        super(methods, LockedMethod::isFenced, new FencedInterceptor(methods, beanFactory), Ordered.LOWEST_PRECEDENCE);
        this.methods = methods;
        this.beanFactory = beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (LockedMethod method : methods.found()) {
            if (method.isFenced()) {
                dataSource(method, beanFactory);
                requireTransaction(method);
            }
        }
    }

    /** If transactions are not declared by annotations, only the call can tell. */
    private void requireTransaction(LockedMethod method) {
        TransactionAttributeSource source =
                beanFactory.getBeanProvider(TransactionAttributeSource.class).getIfAvailable();
        if (source == null) {
            return;
        }
        TransactionAttribute transaction = source.getTransactionAttribute(method.method(), method.targetClass());
        boolean begins = transaction != null
                && switch (transaction.getPropagationBehavior()) {
                    case TransactionDefinition.PROPAGATION_REQUIRED,
                            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                            TransactionDefinition.PROPAGATION_NESTED -> true;
                    default -> false;
                };
        if (!begins) {
            throw new LockConfigurationException(
                    method + ": fenced = true needs a transaction that begins with the method:"
                            + " add @Transactional to it, with propagation REQUIRED or REQUIRES_NEW");
        }
    }

    /**
     * The data source of the fence.
     *
     * @throws LockConfigurationException if there is not exactly one, and no primary one
     */
    static DataSource dataSource(LockedMethod method, ConfigurableListableBeanFactory beanFactory) {
        DataSource dataSource = beanFactory.getBeanProvider(DataSource.class).getIfUnique();
        if (dataSource == null) {
            throw new LockConfigurationException(method
                    + ": fenced = true needs one bean of type javax.sql.DataSource, or a primary one; there are "
                    + beanFactory.getBeanNamesForType(DataSource.class).length);
        }
        return dataSource;
    }
}
