package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.server.Endpoints;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/** PostgreSQL's own locks. Each holder keeps its connection. */
final class PostgresPeers {

    private static final String TABLE = "row_lock (name TEXT PRIMARY KEY)";
    private static final String INSERT_ROW = "INSERT INTO row_lock (name) VALUES (?) ON CONFLICT DO NOTHING";
    private static final String LOCK_ROW = "SELECT name FROM row_lock WHERE name = ? FOR UPDATE";
    private static final String LOCK = "SELECT pg_advisory_lock(hashtextextended(?, 0))";
    private static final String UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(?, 0))";

    private PostgresPeers() {}

    /** A row, locked in a transaction that lasts as long as the lock is held. */
    static Peer forUpdate(Endpoints endpoints) throws SQLException {
        HikariDataSource database = ConnectionPools.postgres(endpoints);
        createTable(database, TABLE);
        Set<String> known = ConcurrentHashMap.newKeySet();
        return new Peer(
                name -> holding(database.getConnection(), connection -> {
                    if (!known.contains(name)) {
                        execute(connection, INSERT_ROW, name);
                        known.add(name); // only now: a missing row cannot be locked
                    }
                    connection.setAutoCommit(false);
                    execute(connection, LOCK_ROW, name);
                    return connection::commit;
                }),
                database::close);
    }

    /** An advisory lock of the session. */
    static Peer advisoryLock(Endpoints endpoints) {
        HikariDataSource database = ConnectionPools.postgres(endpoints);
        return new Peer(
                name -> holding(database.getConnection(), connection -> {
                    execute(connection, LOCK, name);
                    return () -> unlock(connection, name);
                }),
                database::close);
    }

    private interface Locking {
        /** Returns what releases the lock. */
        AutoCloseable lock(Connection connection) throws SQLException;
    }

    /** Closes the connection after the release, or if the lock cannot be acquired. */
    private static AutoCloseable holding(Connection connection, Locking locking) throws SQLException {
        try {
            AutoCloseable release = locking.lock(connection);
            return () -> {
                try (connection) {
                    release.close();
                }
            };
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private static void execute(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.execute();
        }
    }

    private static void unlock(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(UNLOCK)) {
            statement.setString(1, name);
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next() || !result.getBoolean(1)) {
                    throw new IllegalStateException("lost before its release: " + name);
                }
            }
        }
    }

    /** Creates a table unless it exists, even if another process does the same at the same time. */
    static void createTable(DataSource database, String definition) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            // IF NOT EXISTS alone fails if two sessions create the table at once. Statements sent together are one
            // transaction.
            statement.execute("SELECT pg_advisory_xact_lock(0, 0); CREATE TABLE IF NOT EXISTS " + definition);
        }
    }
}
