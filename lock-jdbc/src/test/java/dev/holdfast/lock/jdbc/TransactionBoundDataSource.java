package dev.holdfast.lock.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Hands out the connection of the thread's transaction, as transaction-aware sources do, and else one connection per thread
 * that it keeps open: with autocommit off, and nothing reset when it is given back.
 */
final class TransactionBoundDataSource implements DataSource, AutoCloseable {

    /** Opens connections to the database. */
    @FunctionalInterface
    interface Source {
        Connection connect() throws SQLException;
    }

    private final Source connections;
    private final Map<Thread, Connection> bound = new ConcurrentHashMap<>();
    private volatile Connection last;

    TransactionBoundDataSource(Postgres database) {
        this(database::connect);
    }

    TransactionBoundDataSource(Source connections) {
        this.connections = connections;
    }

    /** Begins a transaction of this thread. */
    Connection begin() throws SQLException {
        Connection connection = open();
        bound.put(Thread.currentThread(), connection);
        return connection;
    }

    private Connection open() throws SQLException {
        Connection connection = connections.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /** What was handed out last. */
    Connection last() {
        return last;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = bound.get(Thread.currentThread());
        if (connection == null || connection.isClosed()) {
            connection = begin();
        }
        last = connection;
        Connection handedOut = connection;
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(handedOut, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Closes the connections that were kept. */
    @Override
    public void close() throws SQLException {
        for (Connection connection : bound.values()) {
            connection.close();
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("not a wrapper of " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
