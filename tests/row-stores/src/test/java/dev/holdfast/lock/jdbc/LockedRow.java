package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.InTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

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

    /** Executes a batch of two locks while another transaction has the row of the second: the first is granted, the second unavailable. */
    static void expectOthersGranted(LockStore store, String free, String locked) throws Exception {
        AcquisitionId id = id();
        Duration call = Duration.ofSeconds(12);
        InTime.check(call, () -> {
            List<LockReply> replies = store.execute(List.of(acquire(free, id), acquire(locked, id)), call);
            assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
            assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
            return null;
        });
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
