package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.BatchRetry;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A call of one of the functions with single values and arrays.
 *
 * @param <T> the result that is read from its rows
 */
class FunctionCall<T> extends PostgreSqlCall<T> {

    private final String sql;
    private final RowReader<T> reader;
    private final @Nullable Object[] parameters;

    /** Reads all rows. */
    @FunctionalInterface
    interface RowReader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /**
     * @param standbys see {@link PostgreSqlCall}
     * @param schema of the function, quoted where necessary
     * @param parameters of exactly the types of the function's, so that no overload in the schema fits better; a {@link
     *     BatchRetry.LockTimeout} is resolved when the call is made, and null is a text
     */
    FunctionCall(
            Connections connections,
            Deadline deadline,
            @Nullable StandbyGuard standbys,
            String schema,
            String function,
            RowReader<T> reader,
            @Nullable Object... parameters) {
        super(connections, deadline, standbys);
        this.sql = "SELECT * FROM " + schema + "." + function + "("
                + Arrays.stream(parameters)
                        .map(parameter -> "?::pg_catalog." + type(parameter))
                        .collect(Collectors.joining(", "))
                + ")";
        this.reader = reader;
        this.parameters = parameters;
    }

    @Override
    T execute(Connection connection, int millisLeft) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int at = 0; at < parameters.length; at++) {
                if (parameters[at] instanceof Object[] array) {
                    statement.setArray(at + 1, connection.createArrayOf(elementType(array), array));
                } else if (parameters[at] instanceof BatchRetry.LockTimeout timeout) {
                    statement.setInt(at + 1, timeout.millis(millisLeft));
                } else {
                    statement.setObject(at + 1, parameters[at]);
                }
            }
            try (ResultSet rows = statement.executeQuery()) {
                T result = reader.read(rows);
                StandbyGuard.ensureConfirmed(statement);
                return result;
            }
        }
    }

    private static String type(@Nullable Object parameter) {
        if (parameter instanceof Object[] array) {
            return elementType(array) + "[]";
        } else if (parameter instanceof UUID) {
            return "uuid";
        } else if (parameter instanceof Integer || parameter instanceof BatchRetry.LockTimeout) {
            return "int4";
        } else if (parameter instanceof Long) {
            return "int8";
        }
        return "text";
    }

    private static String elementType(Object[] array) {
        if (array instanceof UUID[]) {
            return "uuid";
        } else if (array instanceof Long[]) {
            return "int8";
        } else if (array instanceof Integer[]) {
            return "int4";
        } else if (array instanceof Boolean[]) {
            return "bool";
        }
        return "text";
    }
}
