package dev.holdfast.lock.jdbc.pool;

import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store's own threads, for tasks that must not run on the caller's thread, which may have a transaction of the application, or
 * be interrupted. An interrupt of the caller neither reaches the task nor ends the wait for it, as other callers may wait for
 * the same batch; the caller stays interrupted. Thread-safe.
 */
final class StoreThreads implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StoreThreads.class);

    private final ThreadPoolExecutor threads;

    /** @param max the maximum number of concurrent tasks; further ones wait */
    StoreThreads(int max) {
        threads = new ThreadPoolExecutor(
                max,
                max,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> DaemonThreadFactory.unstarted("holdfast-jdbc", task));
        threads.allowCoreThreadTimeOut(true);
    }

    /** A task that checks between its steps whether its caller still waits. */
    @FunctionalInterface
    interface Task<T> {
        T run(Wait wait) throws Exception;
    }

    /** A task's view of its caller, which waits until the deadline. */
    static final class Wait {

        private final Deadline deadline;
        private final String notBegun;
        private volatile String stage;
        private volatile boolean isOver;

        private Wait(Deadline deadline, String notBegun) {
            this.deadline = deadline;
            this.notBegun = notBegun;
            this.stage = notBegun;
        }

        /** A lock that is granted to a caller that has given up would be busy for a whole lease. */
        void ensureAwaited() throws SQLTimeoutException {
            if (isOver || deadline.isOver()) {
                throw new SQLTimeoutException(notBegun);
            }
        }

        /** Sets the error for a task that takes too long from here on. */
        void enter(String tooLong) {
            stage = tooLong;
        }
    }

    /**
     * Runs a task and waits for it until the deadline. A task whose caller has given up is not started; a connection, or any
     * other resource, that it returns too late is closed.
     *
     * @param notBegun the error if the task has not called {@link Wait#enter} by the deadline
     * @throws SQLException the error of the task, or that it took longer than the deadline
     */
    <T> T run(Deadline deadline, String notBegun, Task<T> task) throws SQLException {
        Wait wait = new Wait(deadline, notBegun);
        FutureTask<T> future = new ClosingTask<>(() -> {
            wait.ensureAwaited();
            return task.run(wait);
        });
        threads.execute(future);
        try {
            return await(future, deadline);
        } catch (TimeoutException e) {
            wait.isOver = true;
            future.cancel(false); // no interrupt: a data source or an embedded database may not survive one
            threads.remove(future);
            throw new SQLTimeoutException(wait.stage, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw failure;
            } else if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new SQLException(e.getCause());
        }
    }

    /** Like {@link #run(Deadline, String, Task)}, for a task of one step. */
    <T> T run(Deadline deadline, String tooLong, Callable<T> task) throws SQLException {
        return run(deadline, tooLong, wait -> task.call());
    }

    /** Closes a result that comes after the task was cancelled. */
    private static final class ClosingTask<T> extends FutureTask<T> {

        ClosingTask(Callable<T> task) {
            super(task);
        }

        @Override
        protected void set(T result) {
            super.set(result);
            if (isCancelled() && result instanceof AutoCloseable unwanted) {
                try {
                    unwanted.close();
                } catch (Exception e) {
                    log.warn("cannot close a resource that was opened too late: {}", unwanted, e);
                }
            }
        }
    }

    private static <T> T await(FutureTask<T> future, Deadline deadline) throws ExecutionException, TimeoutException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the threads once they have nothing left to do. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
