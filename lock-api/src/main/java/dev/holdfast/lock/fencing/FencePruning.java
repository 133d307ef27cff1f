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
 */
final class FencePruning {

    /** In one transaction, each a few milliseconds long: a holder of an idle lock may wait for it. */
    private static final int ROWS = 200;

    private final FenceTable table;
    private final Map<String, Object> values;

    FencePruning(FenceTable table, Duration idle) {
        this.table = table;
        values = table.values("", 0);
        values.put("after", values.get("name"));
        values.put("idle", idle.toMillis());
        values.put("rows", ROWS);
    }

    /** Prunes within the transaction of the caller, or in transactions of its own if there is none. */
    int run(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            return all(connection, false);
        }
        connection.setAutoCommit(false);
        try {
            return all(connection, true);
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private int all(Connection connection, boolean commit) throws SQLException {
        int removed = 0;
        List<Row> rows;
        do {
            table.createFloor(connection, values);
            table.number(connection, "lock-floor", values);
            rows = lockIdle(connection);
            remove(connection, rows);
            removed += rows.size();
            if (commit) {
                connection.commit();
            }
        } while (rows.size() == ROWS);
        return removed;
    }

    private List<Row> lockIdle(Connection connection) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement statement = table.prepare(connection, "lock-idle", values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                rows.add(new Row(row.getObject(1), row.getLong(2)));
            }
        }
        return rows;
    }

    private void remove(Connection connection, List<Row> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        values.put("token", rows.stream().mapToLong(Row::token).max().orElseThrow());
        table.update(connection, "raise-floor", values);
        FenceStatement delete = table.statement("delete");
        try (PreparedStatement statement = connection.prepareStatement(delete.sql())) {
            for (Row row : rows) {
                values.put("name", row.name());
                delete.set(statement, values);
                statement.addBatch();
            }
            statement.executeBatch();
        }
        values.put("after", rows.get(rows.size() - 1).name());
    }

    /** The row of an idle lock; the name as the database has it. */
    private record Row(Object name, long token) {}
}
