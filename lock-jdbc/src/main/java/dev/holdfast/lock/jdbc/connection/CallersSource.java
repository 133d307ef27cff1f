package dev.holdfast.lock.jdbc.connection;

import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
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

    private static final String SILENT = "the database took too long";

    private static final String NO_CONNECTION =
            "the application's data source handed out no connection in time: all are in use, or its pool is too small (it needs at least two)";

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
        return apart(deadline, call -> {
            try (Connection connection = source.getConnection()) {
                call.connected = true;
                call.ensureAwaited(); // however long that took
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
     * connection of the thread's transaction. What nobody waits for any more is not begun.
     *
     * @throws SQLException what it throws, or that it took longer than the deadline
     */
    public <T> T apart(Deadline deadline, Callable<T> what) throws SQLException {
        return apart(deadline, call -> what.call());
    }

    private <T> T apart(Deadline deadline, Task<T> task) throws SQLException {
        Call call = new Call(deadline);
        FutureTask<T> doing = new FutureTask<>(() -> {
            call.ensureAwaited();
            return task.run(call);
        });
        threads.execute(doing);
        try {
            return doing.get(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            giveUp(call, doing);
            throw new SQLTimeoutException(call.connected ? SILENT : NO_CONNECTION, e);
        } catch (InterruptedException e) {
            giveUp(call, doing);
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

    /** Without an interrupt, which a data source need not survive. */
    private void giveUp(Call call, FutureTask<?> doing) {
        call.givenUp = true;
        doing.cancel(false);
        threads.remove(doing);
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

    /** What to do, in steps between which it may be found that nobody waits for it any more. */
    @FunctionalInterface
    private interface Task<T> {
        T run(Call call) throws Exception;
    }

    /** Somebody waits for it until the deadline, or gives it up before. */
    private static final class Call {

        private final Deadline deadline;
        private volatile boolean givenUp;
        private volatile boolean connected;

        Call(Deadline deadline) {
            this.deadline = deadline;
        }

        /** A lock that is granted to nobody would be busy for a whole lease. */
        void ensureAwaited() throws SQLTimeoutException {
            if (givenUp || deadline.isOver()) {
                throw new SQLTimeoutException("nobody waits for this any more");
            }
        }
    }
}
