package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/** Makes the transactions of methods with {@code fenced = true} enter the fence, inside the advisor for transactions. */
@SuppressWarnings("serial") // as the other advisors of Spring, serializable by inheritance only
final class FencedAdvisor extends LockedAdvisor implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(FencedAdvisor.class);

    private final transient LockedMethods methods;
    private final transient ConfigurableListableBeanFactory beanFactory;

    FencedAdvisor(LockedMethods methods, ConfigurableListableBeanFactory beanFactory) {
        super(methods, LockedMethod::isFenced, new FencedInterceptor(methods, beanFactory), Ordered.LOWEST_PRECEDENCE);
        this.methods = methods;
        this.beanFactory = beanFactory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean isChecked = false;
        for (LockedMethod method : methods.found()) {
            if (method.isFenced()) {
                DataSource dataSource = dataSource(method, beanFactory);
                requireTransaction(method);
                if (!isChecked) {
                    requireTable(method, dataSource);
                    isChecked = true;
                }
            }
        }
    }

    private void requireTable(LockedMethod method, DataSource dataSource) {
        boolean isInstalled;
        try (Connection connection = dataSource.getConnection()) {
            isInstalled = FencedInterceptor.fence(beanFactory).isInstalled(connection);
        } catch (SQLException | RuntimeException e) { // the database does not answer, or is not chosen before a request
            log.warn("{}: cannot check at the start whether the tables of the fence exist", method, e);
            return;
        }
        if (!isInstalled) {
            throw new LockConfigurationException(
                    method + ": fenced = true needs the tables of the fence, and the database of the"
                            + " DataSource does not have them: add the script table.sql of its kind in dev/holdfast/lock/fencing of lock-api"
                            + " to the application's migrations, or call fence.createTable(connection) in a bean that is made at the start");
        }
    }

    /** If transactions are not declared by annotations, only the call can show whether there is one. */
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
