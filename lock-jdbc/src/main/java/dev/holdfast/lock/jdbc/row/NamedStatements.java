package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.schema.SqlScripts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The statements of {@code statements.sql} in one dialect, with named parameters. Immutable. */
final class NamedStatements {

    private static final Map<String, String> COMMON =
            SqlScripts.readStatements(NamedStatements.class, "statements.sql");

    private static final Pattern COMMENT = Pattern.compile("--.*");
    private static final Pattern PARAMETER = Pattern.compile(":([a-z_]+)");

    private final Map<String, NamedStatement> statements = new HashMap<>();

    NamedStatements(Dialect dialect) {
        Map<String, String> texts = new HashMap<>(COMMON);
        texts.putAll(dialect.statements());
        texts.forEach((name, text) -> statements.put(
                name,
                NamedStatement.parse(text.replace("{now}", dialect.clock())
                        .replace("{limit}", dialect.limit())
                        .replace("{for update}", dialect.forUpdate()))));
    }

    /**
     * Prepares a statement.
     *
     * @param parameters the names and values of all its parameters, and maybe of others
     */
    PreparedStatement prepare(Connection connection, String name, Map<String, ?> parameters) throws SQLException {
        return Bound.prepare(connection, List.of(bind(name, parameters)));
    }

    /** A statement with the values of its parameters. */
    Bound bind(String name, Map<String, ?> parameters) {
        NamedStatement statement = statements.get(name);
        if (statement == null) {
            throw new IllegalArgumentException("there is no statement " + name);
        }
        return new Bound(
                statement.sql,
                statement.parameters.stream()
                        .map(parameter -> value(parameter, parameters))
                        .toList(),
                false);
    }

    /**
     * A statement with the values of its parameters, in the order of their question marks.
     *
     * @param isOfExistingRow whether it must change a row
     */
    record Bound(String sql, List<Object> values, boolean isOfExistingRow) {

        Bound ofExistingRow() {
            return new Bound(sql, values, true);
        }

        /** Prepares statements that are sent together. */
        static PreparedStatement prepare(Connection connection, List<Bound> all) throws SQLException {
            String sql = all.stream().map(Bound::sql).collect(Collectors.joining("; "));
            PreparedStatement prepared = connection.prepareStatement(sql);
            try {
                int index = 0;
                for (Bound each : all) {
                    for (Object value : each.values) {
                        prepared.setObject(++index, value);
                    }
                }
                return prepared;
            } catch (SQLException | RuntimeException e) {
                prepared.close();
                throw e;
            }
        }
    }

    private static Object value(String parameter, Map<String, ?> parameters) {
        @Nullable Object value = parameters.get(parameter);
        if (value == null) {
            throw new IllegalArgumentException("the parameter " + parameter + " has no value");
        }
        return value;
    }

    /** @param parameters the names of the parameters, in the order of their question marks */
    private record NamedStatement(String sql, List<String> parameters) {

        static NamedStatement parse(String text) {
            List<String> parameters = new ArrayList<>();
            Matcher matcher = PARAMETER.matcher(COMMENT.matcher(text).replaceAll(""));
            StringBuilder sql = new StringBuilder();
            while (matcher.find()) {
                parameters.add(matcher.group(1));
                matcher.appendReplacement(sql, "?");
            }
            return new NamedStatement(matcher.appendTail(sql).toString().strip(), List.copyOf(parameters));
        }
    }
}
