package dev.holdfast.lock.fencing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Removes the rows of idle locks. The floor rises to the greatest token of the rows that are removed, in the same transaction: a
 * later first entry with a smaller token is refused.
 *
 * <p>A store promises rising tokens for each name, and the floor is one for all names of a namespace. So a row is removed only if
 * its token is a time that lies at least the idle time in the past: any token that a store takes from its clock now is greater. A
 * row stays if its token is not a time, or is ahead of the clock: as a floor, it could block another lock for ever.
 *
 * <p>No entering transaction waits longer than one pruning transaction lasts, and no pruning transaction waits for an entering one:
 * candidates are found without locks, then locked by their keys, and those in use are passed over.
 */
final class FencePruning {

    /** Rows in one transaction, which lasts a few milliseconds: a first entry under an idle lock may wait for it. */
    private static final int ROWS = 200;

    /** The fencing token of the store token 2^50: a time in 2005, in microseconds since 1970. No store that counts from 1 gets that far. */
    private static final long FIRST_TIME = 256L << 50;

    /** A fencing token rises by 256 for each microsecond of the store's clock. */
    private static final long TOKENS_PER_MILLISECOND = 256_000;

    private final FenceTable table;
    private final long idleMillis;
    private final Map<String, Object> values;

    FencePruning(FenceTable table, Duration idle) {
        this.table = table;
        idleMillis = idle.toMillis();
        values = table.values("", 0);
        values.put("after", values.get("name"));
        values.put("idle", idleMillis);
        values.put("least", FIRST_TIME);
        values.put("rows", ROWS);
    }

    /** Prunes on a connection in auto-commit mode, in its own transactions, in READ COMMITTED where the database has it. */
    int run(Connection connection) throws SQLException {
        if (!table.isReadCommitted()) {
            return all(connection);
        }
        int isolation = connection.getTransactionIsolation();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try {
            return all(connection);
        } finally {
            connection.setTransactionIsolation(isolation);
        }
    }

    private int all(Connection connection) throws SQLException {
        if (table.number(connection, "read-floor", values) == null) {
            // Used only once it is as old as the idle time: an earlier snapshot would not show the new row.
            table.createFloor(connection);
            return 0;
        }
        Long now = table.number(connection, "read-clock", values);
        if (now == null) {
            throw new SQLException("the database did not say what time it is");
        }
        values.put("most", Math.max(0, now - idleMillis) * TOKENS_PER_MILLISECOND);
        int removed = 0;
        List<Object> names = findIdle(connection);
        while (!names.isEmpty()) {
            connection.setAutoCommit(false);
            try {
                if (table.number(connection, "lock-floor", values) == null) {
                    connection.rollback(); // another call is pruning, first entries read the floor, or it is too new
                    return removed;
                }
                removed += remove(connection, names);
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
            values.put("after", names.get(names.size() - 1));
            names = names.size() < ROWS ? List.of() : findIdle(connection);
        }
        return removed;
    }

    /** The names as the database has them. */
    private List<Object> findIdle(Connection connection) throws SQLException {
        List<Object> names = new ArrayList<>();
        try (PreparedStatement statement = table.prepare(connection, "find-idle", values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                names.add(row.getObject(1));
            }
        }
        return names;
    }

    private int remove(Connection connection, List<Object> names) throws SQLException {
        List<Object> locked = new ArrayList<>();
        long greatest = 0;
        FenceStatement lock = table.statement("lock-idle");
        try (PreparedStatement statement = connection.prepareStatement(lock.sql())) {
            for (Object name : names) {
                values.put("name", name);
                lock.set(statement, values);
                try (ResultSet row = statement.executeQuery()) {
                    if (row.next()) {
                        locked.add(name);
                        greatest = Math.max(greatest, row.getLong(1));
                    }
                }
            }
        }
        if (locked.isEmpty()) {
            return 0; // the floor stays as it is, so that no older snapshot is refused without need
        }
        values.put("token", greatest);
        table.update(connection, "raise-floor", values);
        FenceStatement delete = table.statement("delete");
        try (PreparedStatement statement = connection.prepareStatement(delete.sql())) {
            for (Object name : locked) {
                values.put("name", name);
                delete.set(statement, values);
                statement.addBatch();
            }
            statement.executeBatch();
        }
        return locked.size();
    }
}
