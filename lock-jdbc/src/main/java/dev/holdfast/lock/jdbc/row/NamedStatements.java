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
    private static final Pattern EACH = Pattern.compile("\\{each ([^}]*)}");
    private static final Pattern PARAMETER = Pattern.compile(":([a-z_]+)");

    private final Map<String, NamedStatement> statements = new HashMap<>();

    NamedStatements(Dialect dialect) {
        Map<String, String> texts = new HashMap<>(COMMON);
        texts.putAll(dialect.statements());
        texts.forEach((name, text) -> statements.put(
                name,
                NamedStatement.parse(text.replace("{now}", dialect.clock())
                        .replace("{limit}", dialect.limit())
                        .replace("{by key}", dialect.byKey())
                        .replace("{list}", dialect.listOfRows())
                        .replace("{for update}", dialect.forUpdate())
                        .replace("{skip locked}", dialect.skipLocked()))));
    }

    /**
     * Prepares a statement.
     *
     * @param parameters the names and values of all its parameters; others are ignored
     */
    PreparedStatement prepare(Connection connection, String name, Map<String, ?> parameters) throws SQLException {
        return Bound.prepare(connection, List.of(bind(name, parameters)));
    }

    /** A statement with the values of its parameters. */
    Bound bind(String name, Map<String, ?> parameters) {
        return bind(name, parameters, List.of());
    }

    /**
     * A statement with the values of its parameters.
     *
     * @param rows the values of the parameters within <code>{each …}</code>, which is repeated for each
     */
    Bound bind(String name, Map<String, ?> parameters, List<? extends Map<String, ?>> rows) {
        NamedStatement statement = statements.get(name);
        if (statement == null) {
            throw new IllegalArgumentException("there is no statement " + name);
        }
        return statement.bind(parameters, rows);
    }

    /** A statement with the values of its parameters, in the order of their question marks. A value may be null. */
    record Bound(String sql, List<Object> values) {

        /** One query with the rows of several that have the same columns. */
        static Bound union(List<Bound> queries) {
            List<Object> values = new ArrayList<>();
            queries.forEach(query -> values.addAll(query.values));
            return new Bound(queries.stream().map(Bound::sql).collect(Collectors.joining("\nUNION ALL\n")), values);
        }

        /** Its approximate size on the wire, in bytes. */
        int size() {
            int size = sql.length();
            for (Object value : values) {
                size += size(value);
            }
            return size;
        }

        /** The approximate size of a value, in bytes. */
        static int size(@Nullable Object value) {
            return value instanceof byte[] bytes
                    ? bytes.length + 10
                    : value instanceof String text ? text.length() : 20;
        }

        /** Prepares statements that are sent together. */
        static PreparedStatement prepare(Connection connection, List<Bound> all) throws SQLException {
            String sql = all.stream().map(Bound::sql).collect(Collectors.joining("; "));
            PreparedStatement prepared = connection.prepareStatement(sql);
            try {
                prepared.setMaxRows(0); // no limit, though a URL may set one: where rows are missing, a lock seems free
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

    /** A part of a statement: repeated for each row, or not. */
    private record Part(String sql, List<String> parameters, boolean isRepeated) {

        static Part parse(String text, boolean isRepeated) {
            List<String> parameters = new ArrayList<>();
            Matcher matcher = PARAMETER.matcher(text);
            StringBuilder sql = new StringBuilder();
            while (matcher.find()) {
                parameters.add(matcher.group(1));
                matcher.appendReplacement(sql, "?");
            }
            return new Part(matcher.appendTail(sql).toString(), List.copyOf(parameters), isRepeated);
        }

        void bind(Map<String, ?> from, List<Object> values) {
            for (String parameter : parameters) {
                if (!from.containsKey(parameter)) {
                    throw new IllegalArgumentException("the parameter " + parameter + " has no value");
                }
                values.add(from.get(parameter));
            }
        }
    }

    private record NamedStatement(List<Part> parts) {

        static NamedStatement parse(String text) {
            String plain = COMMENT.matcher(text).replaceAll("").strip();
            List<Part> parts = new ArrayList<>();
            Matcher each = EACH.matcher(plain);
            int end = 0;
            while (each.find()) {
                parts.add(Part.parse(plain.substring(end, each.start()), false));
                parts.add(Part.parse(each.group(1), true));
                end = each.end();
            }
            parts.add(Part.parse(plain.substring(end), false));
            return new NamedStatement(List.copyOf(parts));
        }

        Bound bind(Map<String, ?> parameters, List<? extends Map<String, ?>> rows) {
            StringBuilder sql = new StringBuilder();
            List<Object> values = new ArrayList<>();
            for (Part part : parts) {
                if (!part.isRepeated) {
                    sql.append(part.sql);
                    part.bind(parameters, values);
                    continue;
                }
                String separator = "";
                for (Map<String, ?> row : rows) {
                    sql.append(separator).append(part.sql);
                    part.bind(row, values);
                    separator = ", ";
                }
            }
            return new Bound(sql.toString(), values);
        }
    }
}
