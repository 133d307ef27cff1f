package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A row by its primary key, locked in a transaction that lasts, with its connection, for as long as the lock is held. */
final class RowLock implements Peer {

    private static final String TABLE = "row_lock (name TEXT PRIMARY KEY)";
    private static final String INSERT = "INSERT INTO row_lock (name) VALUES (?) ON CONFLICT DO NOTHING";
    private static final String LOCK = "SELECT name FROM row_lock WHERE name = ? FOR UPDATE";

    private final HikariDataSource database;
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private RowLock(Place place) throws SQLException {
        this.database = Pool.sql(place);
        Tables.create(database, TABLE);
    }

    static Candidate candidate() {
        return new Candidate(
                "for-update",
                "Bare SELECT FOR UPDATE",
                Store.POSTGRESQL,
                false,
                true,
                Pool.STATED
                        + " (HikariCP); a row for each name, there before; a connection for each that holds or waits,"
                        + " all others queue for one",
                RowLock::new);
    }

    @Override
    public Held acquire(String name) throws SQLException {
        Connection connection = database.getConnection();
        try {
            if (!known.contains(name)) {
                execute(connection, INSERT, name);
                known.add(name); // not before: where there is no row, nothing is locked
            }
            connection.setAutoCommit(false);
            execute(connection, LOCK, name);
            return () -> {
                try (connection) {
                    connection.commit();
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

    @Override
    public void close() {
        database.close();
    }
}
