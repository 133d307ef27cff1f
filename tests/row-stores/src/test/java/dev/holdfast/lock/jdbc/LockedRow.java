package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A transaction of another process, which has locked the row of a lock in namespace {@code test} until it ends. */
final class LockedRow implements AutoCloseable {

    private final Connection connection;

    /** Locks the row, which has to be there. */
    LockedRow(RowDatabase database, String lock) throws SQLException {
        connection = database.connect();
        try {
            connection.setAutoCommit(false);
            execute(select(lock));
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Makes the rows of locks that are free. */
    static void makeRows(LockStore store, String... locks) {
        for (String lock : locks) {
            AcquisitionId id = id();
            granted(store, acquire(lock, id));
            ask(store, release(lock, id));
        }
    }

    /** Whether a transaction has locked the row. */
    static boolean isLocked(RowDatabase database, String lock) {
        try {
            database.execute(select(lock) + " NOWAIT");
            return false;
        } catch (SQLException e) {
            return true;
        }
    }

    /** Waits for the row of another lock, and locks it, too. */
    void lock(String other) throws SQLException {
        execute(select(other));
    }

    /** Executes a statement in the transaction. */
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Commits, which unlocks the row. */
    void commit() throws SQLException {
        connection.commit();
    }

    /** Rolls back, unless it is committed. */
    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.rollback();
        }
    }

    /** The columns that identify the row of a lock, as the beginning of a list of values. */
    static String key(String lock) {
        return RowDatabase.literal("test") + ", " + RowDatabase.literal(lock);
    }

    private static String select(String lock) {
        return "SELECT * FROM holdfast_lock WHERE namespace = " + RowDatabase.literal("test") + " AND name = "
                + RowDatabase.literal(lock) + " FOR UPDATE";
    }
}
