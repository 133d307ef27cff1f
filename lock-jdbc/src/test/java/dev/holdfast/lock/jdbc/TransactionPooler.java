package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A pooler in transaction mode: two sessions of the server for each thread, lent for one transaction each in turn. One
 * transaction of a thread at a time.
 */
final class TransactionPooler extends AbstractDataSource implements AutoCloseable {

    private final Postgres database;
    private final List<Connection> sessions = new CopyOnWriteArrayList<>();
    private final Map<Thread, Two> lent = new ConcurrentHashMap<>();

    TransactionPooler(Postgres database) {
        this.database = database;
    }

    /** All that were lent so far. */
    List<Connection> sessions() {
        return sessions;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Two own = lent.get(Thread.currentThread());
        if (own == null) {
            own = new Two(List.of(database.connect(), database.connect()));
            lent.put(Thread.currentThread(), own);
            sessions.addAll(own.sessions);
        }
        return (Connection) Proxy.newProxyInstance(
                TransactionPooler.class.getClassLoader(), new Class<?>[] {Connection.class}, own::pass);
    }

    @Override
    public void close() throws SQLException {
        for (Connection each : sessions) {
            each.close();
        }
    }

    private static final class Two {

        private final List<Connection> sessions;
        private int next;

        Two(List<Connection> sessions) {
            this.sessions = sessions;
        }

        private Object pass(Object proxy, Method method, Object[] arguments) throws Throwable {
            String name = method.getName();
            if (name.equals("close")) {
                return null;
            }
            Connection session = sessions.get(next);
            boolean isTransaction = !session.getAutoCommit();
            boolean asks = name.endsWith("Statement") || name.equals("setTransactionIsolation");
            try {
                return method.invoke(session, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                if (isTransaction ? session.getAutoCommit() : asks) {
                    next = 1 - next;
                }
            }
        }
    }
}
