package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rights on the tables that a user lacks: each is tried by a statement that concerns no row. */
final class TableRights {

    private static final List<String> ALL = List.of("SELECT", "INSERT", "UPDATE", "DELETE");

    private static final List<Needed> NEEDED = List.of(
            new Needed("holdfast_lock", "name", ALL),
            new Needed("holdfast_share", "name", ALL),
            new Needed("holdfast_waiter", "name", ALL),
            new Needed("holdfast_tombstone", "name", ALL),
            new Needed("holdfast_token_floor", "token", List.of("SELECT", "UPDATE")));

    private TableRights() {}

    /** @param column any of the table */
    private record Needed(String table, String column, List<String> rights) {

        /** Not by a constant condition alone: MariaDB takes that for one without a key, which a session may forbid. */
        String statement(String right) {
            String none = " WHERE " + column + " = " + column + " AND 1 = 0";
            return switch (right) {
                case "SELECT" -> "SELECT " + column + " FROM " + table + none;
                case "INSERT" -> "INSERT INTO " + table + " SELECT * FROM " + table + none;
                case "UPDATE" -> "UPDATE " + table + " SET " + column + " = " + column + none;
                default -> "DELETE FROM " + table + none;
            };
        }
    }

    /** A finding if the user of the connection lacks a right, with the statements that grant what is missing. */
    static Optional<Finding> missing(Connection connection, ErrorClasses errors) throws SQLException {
        String user = user(connection);
        List<String> grants = new ArrayList<>();
        for (Needed needed : NEEDED) {
            List<String> missing = new ArrayList<>();
            for (String right : needed.rights()) {
                if (!isGranted(connection, errors, needed.statement(right))) {
                    missing.add(right);
                }
            }
            if (!missing.isEmpty()) {
                grants.add("GRANT " + String.join(", ", missing) + " ON " + needed.table() + " TO " + quoted(user));
            }
        }
        return grants.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.error(
                        "rights",
                        "the user " + user + " lacks rights on the tables",
                        "run as an administrator, in this database: " + String.join("; ", grants)));
    }

    private static boolean isGranted(Connection connection, ErrorClasses errors, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return true;
        } catch (SQLException e) {
            if (errors.classify(e) == ErrorClass.NO_PRIVILEGE) {
                return false;
            }
            throw e;
        }
    }

    /** As it is granted rights; the driver may know it by another name. */
    private static String user(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_USER")) {
            row.next();
            return row.getString(1);
        }
    }

    /** A user of MariaDB or MySQL is one of some hosts. */
    private static String quoted(String user) {
        int at = user.lastIndexOf('@');
        return at < 0 ? user : "'" + user.substring(0, at) + "'@'" + user.substring(at + 1) + "'";
    }
}
