package dev.holdfast.lock.jdbc.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A session setting that limits a table change's wait for other transactions.
 *
 * @param query reads it, as a literal
 * @param assignment sets it, with a literal at the end
 * @param limit a literal: a moment for which callers of locks can wait, too
 */
public record SchemaLockLimit(String query, String assignment, String limit) {

    /** Runs the task under the limit, and restores the session. */
    void runLimited(Connection connection, DatabaseSchema.SchemaTask task) throws SQLException {
        String before;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            before = row.getString(1);
        }
        set(connection, limit);
        Restore restore = () -> set(connection, before);
        try (restore) {
            task.run();
        }
    }

    private void set(Connection connection, String literal) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(assignment + literal);
        }
    }

    /** As a resource, so that its failure does not hide that of the task. */
    private interface Restore extends AutoCloseable {
        @Override
        void close() throws SQLException;
    }
}
