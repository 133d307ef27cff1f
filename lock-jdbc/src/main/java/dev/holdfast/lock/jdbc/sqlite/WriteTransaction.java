package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A transaction that has the right to write from its first statement on, so that no other write overtakes it. */
abstract class WriteTransaction<T> implements Connections.Work<T> {

    private static final int FULL = 2;

    private final boolean areApplications;
    private final Deadline deadline;

    /**
     * @param connections if they are the application's, their settings may be others, and are restored
     * @param deadline for getting the right to write
     */
    WriteTransaction(Connections connections, Deadline deadline) {
        this.areApplications = connections.areApplications();
        this.deadline = deadline;
    }

    /** Runs within the transaction. */
    abstract T execute(Connection connection) throws SQLException;

    @Override
    public final T on(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int synchronous = areApplications ? readPragma(statement, "synchronous") : FULL;
            int busyTimeout = areApplications ? readPragma(statement, "busy_timeout") : 0;
            try {
                if (synchronous < FULL) {
                    statement.execute("PRAGMA synchronous = FULL");
                }
                statement.execute("PRAGMA busy_timeout = " + Math.max(1, deadline.millisLeft()));
                statement.execute("BEGIN IMMEDIATE");
                try {
                    T result = execute(connection);
                    statement.execute("COMMIT");
                    return result;
                } catch (SQLException | RuntimeException | Error e) {
                    rollBack(statement, e);
                    throw e;
                }
            } finally {
                if (areApplications) {
                    statement.execute("PRAGMA synchronous = " + synchronous);
                    statement.execute("PRAGMA busy_timeout = " + busyTimeout);
                }
            }
        }
    }

    private static void rollBack(Statement statement, Throwable reason) {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            reason.addSuppressed(e); // SQLite may have rolled back already
        }
    }

    private static int readPragma(Statement statement, String name) throws SQLException {
        try (ResultSet value = statement.executeQuery("PRAGMA " + name)) {
            return value.next() ? value.getInt(1) : 0;
        }
    }
}
