package dev.holdfast.lock.jdbc.connection;

import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where the connections come from. Thread-safe. */
public interface Connections extends AutoCloseable {

    /** The shortest time in milliseconds that the network may be silent: sockets of ours take a time-out of one for none at all. */
    int LEAST_SILENCE = 2;

    /**
     * Does the work on a connection in autocommit mode, which then goes back to where it came from. A connection on which
     * the work failed is not used again, unless the failure leaves connections as they were.
     *
     * @param deadline for getting the connection; the work minds its own
     * @throws SQLException what the work throws, or why there is no connection
     */
    <T> T with(Deadline deadline, Work<T> work) throws SQLException;

    /** The same database without a pool in between. */
    DataSource direct();

    /**
     * A connection for making the tables, which may take longer than a call. The caller closes it.
     *
     * @param deadline for how long the server may be silent, unless the settings are the caller's own
     */
    default Connection forTables(Deadline deadline) throws SQLException {
        Connection connection = direct().getConnection();
        if (!foreign()) {
            connection.setNetworkTimeout(Runnable::run, Math.max(LEAST_SILENCE, deadline.millisLeft()));
        }
        return connection;
    }

    /** Whether the connections are the caller's, with settings that may be anything. */
    boolean foreign();

    /** Closes what was opened here. */
    @Override
    void close();

    /** What to do with a connection. */
    @FunctionalInterface
    interface Work<T> {
        /** Uses the connection, and neither closes nor keeps it. */
        T on(Connection connection) throws SQLException;
    }
}
