package dev.holdfast.lock.jdbc.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;
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

    /**
     * @param parameters of the very types that the function takes, so that no other of its name, whoever may have made it, fits
     *     better; for a text null as well
     */
    Question(String schema, String function, Rows<T> rows, @Nullable Object... parameters) {
        this.sql = "SELECT * FROM " + schema + "." + function + "("
                + Arrays.stream(parameters)
                        .map(parameter -> "?::pg_catalog." + type(parameter))
                        .collect(Collectors.joining(", "))
                + ")";
        this.rows = rows;
        this.parameters = parameters;
    }

    T ask(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int at = 0; at < parameters.length; at++) {
                if (parameters[at] instanceof Object[] array) {
                    statement.setArray(at + 1, connection.createArrayOf(elements(array), array));
                } else {
                    statement.setObject(at + 1, parameters[at]);
                }
            }
            try (ResultSet found = statement.executeQuery()) {
                T read = rows.read(found);
                Standbys.ensureConfirmed(statement);
                return read;
            }
        }
    }

    private static String type(@Nullable Object parameter) {
        if (parameter instanceof Object[] array) {
            return elements(array) + "[]";
        } else if (parameter instanceof UUID) {
            return "uuid";
        } else if (parameter instanceof Integer) {
            return "int4";
        } else if (parameter instanceof Long) {
            return "int8";
        }
        return "text";
    }

    private static String elements(Object[] array) {
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
