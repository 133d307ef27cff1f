package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.testing.Await;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.h2.api.ErrorCode;

/** A database of a test's own, in which a store keeps its rows. The defaults are for a database within the test's process. */
public interface RowDatabase {

    /** How a store is opened in it. */
    Map<String, String> settings();

    /** A name as its column holds it: its bytes. */
    static String literal(String name) {
        return "X'" + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)) + "'";
    }

    /** A connection of an administrator. */
    Connection connect() throws SQLException;

    /** The same, with others: keys and values in turn. */
    default Map<String, String> settings(String... others) {
        Map<String, String> settings = new HashMap<>(settings());
        for (int at = 0; at < others.length; at += 2) {
            settings.put(others[at], others[at + 1]);
        }
        return settings;
    }

    /** Executes a statement as an administrator. */
    default void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The number in the last column of a query's first row. */
    default long number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            return number(statement, sql);
        }
    }

    /** The same, by a session of the test's own. */
    static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(row.getMetaData().getColumnCount());
        }
    }

    /** A query for the number of sessions that wait for the row of a lock, or are about to; H2's. */
    default String countBlocked(String lock) {
        return "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
    }

    /** Waits until so many sessions wait for the row of a lock, or are about to. */
    default void awaitBlocked(String lock, int sessions) {
        Await.until(sessions + " sessions wait for the row of " + lock, () -> blocked(countBlocked(lock)) == sessions);
    }

    /** What such a query counts; none if H2 meets a session that ends just then, which it does not read well. */
    default long blocked(String query) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            return blocked(statement, query);
        }
    }

    /** The same, by a session of the test's own. */
    static long blocked(Statement statement, String query) throws SQLException {
        try {
            return number(statement, query);
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.GENERAL_ERROR_1) {
                return 0;
            }
            throw e;
        }
    }

    /** Where its server listens. */
    default InetSocketAddress address() {
        throw new UnsupportedOperationException("there is no server");
    }

    /** The URL with another port on the loopback, of a proxy in front of the server. */
    default String urlThrough(int port) {
        throw new UnsupportedOperationException("there is no server");
    }

    /** Ends the server as a crash would (SIGKILL). */
    default void kill() {
        throw new UnsupportedOperationException("there is no server");
    }

    /** Starts a killed server again. */
    default void start() {
        throw new UnsupportedOperationException("there is no server");
    }
}
