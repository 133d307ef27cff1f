package dev.holdfast.lock.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * The application's own data source: its pool, its settings, its property. How long it takes to hand out a connection is
 * its own affair.
 */
public final class CallersSource implements Connections {

    private static final int MOST_THREADS = 8;

    private final DataSource source;
    private final ThreadPoolExecutor threads;

    /** @param source never closed here */
    public CallersSource(DataSource source) {
        this.source = source;
        this.threads = new ThreadPoolExecutor(
                MOST_THREADS, MOST_THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "holdfast-jdbc");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
        return apart(deadline, () -> {
            try (Connection connection = source.getConnection()) {
                return connection.getAutoCommit() ? work.on(connection) : inAutoCommit(connection, work);
            }
        });
    }

    private static <T> T inAutoCommit(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(true);
        try {
            return work.on(connection);
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(false);
            }
        }
    }

    /**
     * Does something on a thread on which no transaction of the application is open: some data sources hand out the
     * connection of the thread's transaction.
     *
     * @throws SQLException what it throws, or that it took longer than the deadline
     */
    public <T> T apart(Deadline deadline, Callable<T> what) throws SQLException {
        Future<T> doing = threads.submit(what);
        try {
            return doing.get(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new SQLTimeoutException("the application's data source took too long", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw failure;
            } else if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new SQLException(e.getCause());
        }
    }

    @Override
    public DataSource direct() {
        return source;
    }

    @Override
    public boolean foreign() {
        return true;
    }

    @Override
    public void close() {
        threads.shutdown(); // the source is the caller's
    }
}
