package dev.holdfast.lock.composite.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** A table that knows the greatest token for each lock, and refuses any that is not greater. */
final class Fence {

    private Fence() {}

    static void make(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE fence (name text PRIMARY KEY, token bigint NOT NULL)");
        }
    }

    /** A lock whose tokens are guarded from now on. */
    static void add(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO fence VALUES (?, 0)")) {
            insert.setString(1, name);
            insert.execute();
        }
    }

    /** Whether this token is greater than all before. */
    static boolean passes(Connection connection, String name, long token) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE fence SET token = ? WHERE name = ? AND token < ?")) {
            update.setLong(1, token);
            update.setString(2, name);
            update.setLong(3, token);
            return update.executeUpdate() == 1;
        }
    }
}
