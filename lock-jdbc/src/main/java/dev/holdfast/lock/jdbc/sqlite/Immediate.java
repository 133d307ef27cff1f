package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A transaction that owns the right to write from its first statement on, and so never finds itself overtaken. */
final class Immediate {

    private static final int FULL = 2;

    private Immediate() {}

    /** What the transaction does. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws SQLException;
    }

    /**
     * @param foreign whether the connection may come with settings of another kind, and wants them back
     * @param deadline for getting the right to write
     */
    static <T> T run(Connection connection, boolean foreign, Deadline deadline, Body<T> body) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int synchronous = foreign ? pragma(statement, "synchronous") : FULL;
            int busyTimeout = foreign ? pragma(statement, "busy_timeout") : 0;
            try {
                if (synchronous < FULL) {
                    statement.execute("PRAGMA synchronous = FULL");
                }
                statement.execute("PRAGMA busy_timeout = " + Math.max(1, deadline.millisLeft()));
                return committed(statement, body);
            } finally {
                if (foreign) {
                    statement.execute("PRAGMA synchronous = " + synchronous);
                    statement.execute("PRAGMA busy_timeout = " + busyTimeout);
                }
            }
        }
    }

    private static <T> T committed(Statement statement, Body<T> body) throws SQLException {
        statement.execute("BEGIN IMMEDIATE");
        try {
            T result = body.run();
            statement.execute("COMMIT");
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(statement, e);
            throw e;
        }
    }

    private static void rollBack(Statement statement, Throwable reason) {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            reason.addSuppressed(e); // SQLite may have rolled back by itself
        }
    }

    private static int pragma(Statement statement, String name) throws SQLException {
        try (ResultSet value = statement.executeQuery("PRAGMA " + name)) {
            return value.next() ? value.getInt(1) : 0;
        }
    }
}
