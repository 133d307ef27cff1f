package dev.holdfast.lock.jdbc.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A call of one of our functions.
 *
 * @param <T> what its rows say
 */
final class Question<T> {

    private final String sql;
    private final Rows<T> rows;
    private final @Nullable Object[] parameters;

    /** Reads all rows. */
    @FunctionalInterface
    interface Rows<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /** @param parameters of the types that the function takes; for a text null as well */
    Question(String schema, String function, Rows<T> rows, @Nullable Object... parameters) {
        this.sql = "SELECT * FROM " + schema + "." + function + "("
                + String.join(", ", Collections.nCopies(parameters.length, "?")) + ")";
        this.rows = rows;
        this.parameters = parameters;
    }

    T ask(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int at = 0; at < parameters.length; at++) {
                put(connection, statement, at + 1, parameters[at]);
            }
            try (ResultSet found = statement.executeQuery()) {
                return rows.read(found);
            }
        }
    }

    private static void put(Connection connection, PreparedStatement statement, int at, @Nullable Object parameter)
            throws SQLException {
        if (parameter instanceof Object[] array) {
            statement.setArray(at, connection.createArrayOf(type(array), array));
        } else {
            statement.setObject(at, parameter);
        }
    }

    private static String type(Object[] array) {
        if (array instanceof UUID[]) {
            return "uuid";
        } else if (array instanceof Long[]) {
            return "int8";
        } else if (array instanceof Boolean[]) {
            return "bool";
        }
        return "text";
    }
}
