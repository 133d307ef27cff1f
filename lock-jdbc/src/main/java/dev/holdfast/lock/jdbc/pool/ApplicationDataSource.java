package dev.holdfast.lock.jdbc.pool;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/** The application's own data source, with its pool and its settings. It takes as long as it likes to hand out a connection. */
public final class ApplicationDataSource implements Connections {

    private static final int MAX_THREADS = 8;

    private static final String SILENT = "the database took too long";

    private static final String NO_CONNECTION =
            "the application's data source handed out no connection in time: all are in use,"
                    + " or its pool is too small (it needs at least two)";

    private final DataSource source;
    private final ThreadPoolExecutor threads;
    private volatile ErrorClasses errors = ErrorClasses::byState;

    /** @param source never closed here */
    public ApplicationDataSource(DataSource source) {
        this.source = source;
        this.threads = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "holdfast-jdbc");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
        return runApart(deadline, call -> {
            try (Connection connection = source.getConnection()) {
                call.ensureAwaited(); // getting the connection may have taken long
                call.connected = true;
                return connection.getAutoCommit() ? work.on(connection) : workInAutoCommit(connection, work);
            }
        });
    }

    private static <T> T workInAutoCommit(Connection connection, Work<T> work) throws SQLException {
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
     * Runs the task on a thread that has no transaction of the application: some data sources hand out the connection of the
     * thread's transaction. A task whose caller has given up is not begun.
     *
     * @throws SQLException the error of the task, or that it took longer than the deadline
     */
    public <T> T runApart(Deadline deadline, Callable<T> task) throws SQLException {
        return runApart(deadline, call -> task.call());
    }

    private <T> T runApart(Deadline deadline, Task<T> task) throws SQLException {
        Call call = new Call(deadline);
        FutureTask<T> future = new FutureTask<>(() -> {
            call.ensureAwaited();
            return task.run(call);
        });
        threads.execute(future);
        try {
            return future.get(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            giveUp(call, future);
            throw new SQLTimeoutException(call.connected ? SILENT : NO_CONNECTION, e);
        } catch (InterruptedException e) {
            giveUp(call, future);
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

    /** Does not interrupt the thread, as a data source need not survive an interrupt. */
    private void giveUp(Call call, FutureTask<?> future) {
        call.givenUp = true;
        future.cancel(false);
        threads.remove(future);
    }

    /** The schema that the application's pool sets on each connection; empty if it sets none, or is of an unknown kind. */
    public Optional<String> schema() {
        return source instanceof HikariDataSource pool ? Optional.ofNullable(pool.getSchema()) : Optional.empty();
    }

    @Override
    public DataSource direct() {
        return source;
    }

    @Override
    public ErrorClasses errors() {
        return errors;
    }

    /** Sets what the errors mean, once the kind of the database is known. */
    public void setErrors(ErrorClasses errors) {
        this.errors = errors;
    }

    @Override
    public boolean areApplications() {
        return true;
    }

    @Override
    public void close() {
        threads.shutdown(); // the source is the application's
    }

    /** A task that checks between its steps whether its caller still waits. */
    @FunctionalInterface
    private interface Task<T> {
        T run(Call call) throws Exception;
    }

    /** The wait of a caller, until the deadline or until it gives up. */
    private static final class Call {

        private final Deadline deadline;
        private volatile boolean givenUp;
        private volatile boolean connected;

        Call(Deadline deadline) {
            this.deadline = deadline;
        }

        /** A lock that is granted to a caller that has given up would be busy for a whole lease. */
        void ensureAwaited() throws SQLTimeoutException {
            if (givenUp || deadline.isOver()) {
                throw new SQLTimeoutException(NO_CONNECTION);
            }
        }
    }
}
