package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.server.Endpoints;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The locks of the databases themselves. Each holder keeps its connection. */
final class DatabasePeers {

    private static final String TABLE = "row_lock (name VARCHAR(190) PRIMARY KEY)";
    private static final String INSERT_ROW = "INSERT INTO row_lock (name) VALUES (?)";
    private static final String LOCK_ROW = "SELECT name FROM row_lock WHERE name = ? FOR UPDATE";

    private DatabasePeers() {}

    /** A row, locked in a transaction that lasts as long as the lock is held. */
    static Peer forUpdate(SqlProduct product, Endpoints endpoints) throws SQLException {
        HikariDataSource database = ConnectionPools.database(endpoints);
        product.createTable(database, TABLE);
        String insertRow = product.ifAbsent(INSERT_ROW);
        Set<String> known = ConcurrentHashMap.newKeySet();
        return new Peer(
                name -> holding(database.getConnection(), connection -> {
                    if (!known.contains(name)) {
                        execute(connection, insertRow, name);
                        known.add(name); // only now: a missing row cannot be locked
                    }
                    connection.setAutoCommit(false);
                    execute(connection, LOCK_ROW, name);
                    return connection::commit;
                }),
                database::close);
    }

    /** A lock of the session: PostgreSQL's advisory lock, MariaDB's GET_LOCK. */
    static Peer sessionLock(SqlProduct product, Endpoints endpoints) {
        HikariDataSource database = ConnectionPools.database(endpoints);
        return new Peer(
                name -> holding(database.getConnection(), connection -> {
                    execute(connection, product.lock, name);
                    return () -> unlock(connection, product.unlock, name);
                }),
                database::close);
    }

    private interface Locking {
        /** Acquires the lock, and returns its release. */
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

    private static void unlock(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next() || !result.getBoolean(1)) {
                    throw new IllegalStateException("lost before its release: " + name);
                }
            }
        }
    }
}
