package dev.holdfast.lock.jdbc.pool;

import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** The connections of a store: from its own pool, or from the application's data source. Thread-safe. */
public interface Connections extends AutoCloseable {

    /**
     * The shortest network timeout in milliseconds: the driver uses one millisecond to check whether there is something to
     * read.
     */
    int MIN_NETWORK_TIMEOUT = 2;

    /**
     * Does the work on a connection in autocommit mode, and then returns the connection. A connection on which the work
     * failed is closed, unless the error leaves it intact.
     *
     * @param deadline for getting the connection; the work has its own deadline
     * @throws SQLException the error of the work, or the reason why there is no connection
     */
    <T> T with(Deadline deadline, Work<T> work) throws SQLException;

    /**
     * Runs a task that uses connections of {@link #direct}, on a thread that may do so: by default the caller's.
     *
     * @throws SQLException the error of the task, or that it took longer than the deadline
     */
    default <T> T runApart(Deadline deadline, Callable<T> task) throws SQLException {
        try {
            return task.call();
        } catch (SQLException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SQLException(e);
        }
    }

    /** The same database without a pool in between. */
    DataSource direct();

    /**
     * A connection for creating the tables, which may take longer than a call. The caller closes it.
     *
     * @param deadline for each reply of the server, unless the connections are the application's
     */
    default Connection openForSchema(Deadline deadline) throws SQLException {
        Connection connection = direct().getConnection();
        limitSilenceUnlessApplications(connection, deadline);
        return connection;
    }

    /** Limits the driver's wait for the server to the deadline; the application's connection keeps its own limit. */
    default void limitSilenceUnlessApplications(Connection connection, Deadline deadline) throws SQLException {
        if (!areApplications()) {
            limitSilence(connection, deadline);
        }
    }

    /** Limits the driver's wait for the server to the deadline, and returns the milliseconds left. */
    static int limitSilence(Connection connection, Deadline deadline) throws SQLException {
        int millis = Math.max(MIN_NETWORK_TIMEOUT, deadline.millisLeft());
        connection.setNetworkTimeout(Runnable::run, millis);
        return millis;
    }

    /** The meaning of the database's errors. */
    ErrorClasses errors();

    /** The maximum number of connections; one if it is not known. */
    default int size() {
        return 1;
    }

    /** Whether the connections are the application's: their settings may be anything, and have to be restored. */
    boolean areApplications();

    /** Closes everything that was opened here. */
    @Override
    void close();

    /** The use of a connection. */
    @FunctionalInterface
    interface Work<T> {
        /** Uses the connection, and neither closes nor keeps it. */
        T on(Connection connection) throws SQLException;
    }
}
