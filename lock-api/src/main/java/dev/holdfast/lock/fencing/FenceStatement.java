package dev.holdfast.lock.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement of the fence.
 *
 * @param sql with a question mark for each parameter
 * @param parameters their names in the order of the question marks
 */
record FenceStatement(String sql, List<String> parameters) {

    private static final Pattern PARAMETER = Pattern.compile(":([a-z]+)");
    private static final Pattern STATEMENT = Pattern.compile("(?m)^-- name: (\\S+)\n((?:(?!-- name: ).*\n?)*)");

    /** The statements of a file by their names; a comment {@code -- name: the-name} precedes each. */
    static Map<String, FenceStatement> parseAll(String text) {
        Map<String, FenceStatement> all = new HashMap<>();
        for (Matcher each = STATEMENT.matcher(text); each.find(); ) {
            List<String> parameters = new ArrayList<>();
            String sql = PARAMETER.matcher(each.group(2).strip()).replaceAll(parameter -> {
                parameters.add(parameter.group(1));
                return "?";
            });
            all.put(each.group(1), new FenceStatement(sql, List.copyOf(parameters)));
        }
        return Map.copyOf(all);
    }

    /** The statement with its parameters, which the caller closes. */
    PreparedStatement prepare(Connection connection, Map<String, Object> values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            set(statement, values);
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
        return statement;
    }

    /** Sets the parameters of a prepared statement. */
    void set(PreparedStatement statement, Map<String, Object> values) throws SQLException {
        for (int i = 0; i < parameters.size(); i++) {
            statement.setObject(i + 1, values.get(parameters.get(i)));
        }
    }
}
