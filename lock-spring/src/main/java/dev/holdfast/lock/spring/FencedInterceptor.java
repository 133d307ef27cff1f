package dev.holdfast.lock.spring;

import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.spi.LockName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.util.function.SingletonSupplier;

/** Enters the fence with the leases of the method, before the method reads anything in its transaction. */
final class FencedInterceptor implements MethodInterceptor {

    private final LockedMethods methods;
    private final ConfigurableListableBeanFactory beanFactory;
    private final SingletonSupplier<Fence> fence;
    private final ConcurrentMap<DataSource, JdbcTemplate> templates = new ConcurrentHashMap<>(1);

    FencedInterceptor(LockedMethods methods, ConfigurableListableBeanFactory beanFactory) {
        this.methods = methods;
        this.beanFactory = beanFactory;
        this.fence = SingletonSupplier.of(() -> fence(beanFactory));
    }

    /** The application's fence. */
    static Fence fence(ConfigurableListableBeanFactory beanFactory) {
        return beanFactory.getBeanProvider(Fence.class).getIfAvailable(Fence::create);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        LockedMethod method = methods.find(call);
        LockScope scope = LockScope.current();
        // Not if its condition is false: then the call runs without a lock.
        if (method != null && scope != null && scope.method() == method) {
            enter(method, scope);
        }
        return call.proceed();
    }

    private void enter(LockedMethod method, LockScope scope) {
        if (!TransactionHolds.isTransactionActive()) {
            throw new IllegalStateException(
                    method + ": fenced = true needs a transaction that begins with the method, and"
                            + " none is active: add @Transactional to it");
        }
        if (scope.isInsideTransaction() && !scope.holds().stream().allMatch(TransactionHolds::beganUnder)) {
            throw new IllegalStateException(method + ": fenced = true needs a transaction that begins after the lock is"
                    + " acquired, and this one began before: what it has read may be outdated. Call the method without a"
                    + " transaction, or give it propagation REQUIRES_NEW");
        }
        DataSource dataSource = FencedAdvisor.dataSource(method, beanFactory);
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (!DataSourceUtils.isConnectionTransactional(connection, dataSource)) {
                throw new IllegalStateException(
                        method
                                + ": fenced = true needs a transaction on the only or primary DataSource, and this one is on another");
            }
            List<String> names = scope.names().stream()
                    .map(LockName::new)
                    .sorted()
                    .map(LockName::value)
                    .toList();
            FencedTransaction.current().enter(names, method);
            for (String name : names) { // in the order of every other transaction that enters several
                fence.obtain().enter(connection, new MethodLease(scope, name));
            }
        } catch (SQLException e) {
            throw translated(dataSource, method, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    private RuntimeException translated(DataSource dataSource, LockedMethod method, SQLException e) {
        RuntimeException translated = templates
                .computeIfAbsent(dataSource, source -> new JdbcTemplate(source))
                .getExceptionTranslator()
                .translate(method + ": entering the fence", null, e);
        return translated == null ? new IllegalStateException(method + ": entering the fence failed", e) : translated;
    }
}
