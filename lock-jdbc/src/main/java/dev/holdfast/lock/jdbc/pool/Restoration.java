package dev.holdfast.lock.jdbc.pool;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Undoes what a call changed on a connection, and returns the connection to its pool. */
@FunctionalInterface
public interface Restoration {

    /** Restores the connection. */
    void run() throws SQLException;

    /**
     * Does the work, and restores the connection afterwards unless it is closed. The outcome is always that of the work, which
     * may be committed: a connection that cannot be restored is aborted, so that its next user does not get it in that state.
     *
     * @throws SQLException the error of the work
     */
    static <T> T after(Connections.Work<T> work, Connection connection, Restoration restoration) throws SQLException {
        try {
            return work.on(connection);
        } finally {
            restore(connection, restoration);
        }
    }

    /** Returns the connection to its pool, if it has one. The outcome of the call that used it is known, and does not change. */
    static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            Logger log = LoggerFactory.getLogger(Restoration.class);
            log.warn("a connection could not be given back after a call", e);
        }
    }

    private static void restore(Connection connection, Restoration restoration) {
        try {
            if (!connection.isClosed()) {
                restoration.run();
            }
        } catch (SQLException e) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException closing) {
                e.addSuppressed(closing);
            }
            Logger log = LoggerFactory.getLogger(Restoration.class);
            log.warn("a connection could not be restored after a call, and is aborted", e);
        }
    }
}
