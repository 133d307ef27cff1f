package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of {@code statements.sql}, within a transaction that the caller began. */
final class LockStatements {

    private static final Map<String, String> SQL = SqlScripts.readStatements(LockStatements.class, "statements.sql");

    /** Beyond these {@link dev.holdfast.lock.spi.support.QueueTimes#retryAfter} makes no difference. */
    private static final int MAX_COUNTED_BEFORE = 4;

    /** A waiter that was silent for so long does not come back. */
    private static final long LONG_DEAD = 4 * WaiterRow.TIME_TO_LIVE;

    private final Connection connection;
    private final Namespace namespace;

    LockStatements(Connection connection, Namespace namespace) {
        this.connection = connection;
        this.namespace = namespace;
    }

    /** The text of a statement. */
    static String sql(String name) {
        String sql = SQL.get(name);
        if (sql == null) {
            throw new IllegalArgumentException("there is no statement " + name);
        }
        return sql;
    }

    LockRow findLock(String name) throws SQLException {
        try (PreparedStatement statement = prepare("find-lock", namespace.value(), name);
                ResultSet row = statement.executeQuery()) {
            return row.next()
                    ? new LockRow(
                            row.getLong("token"),
                            row.getBytes("id"),
                            row.getLong("granted_at"),
                            row.getLong("expires_at"),
                            row.getString("state"),
                            row.getLong("promoted_at"))
                    : LockRow.NONE;
        }
    }

    boolean hasTombstone(String name, byte[] id, long now) throws SQLException {
        try (PreparedStatement statement = prepare("find-tombstone", namespace.value(), name, id, now);
                ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }

    long findTokenFloor() throws SQLException {
        return queryNumber("find-token-floor");
    }

    void grant(String name, long token, byte[] id, String owner, long grantedAt, long expiresAt) throws SQLException {
        update("grant", namespace.value(), name, token, id, owner, grantedAt, expiresAt);
    }

    void renew(String name, long expiresAt) throws SQLException {
        update("renew", expiresAt, namespace.value(), name);
    }

    void release(String name, long expiresAt, String state) throws SQLException {
        update("release", expiresAt, state, namespace.value(), name);
    }

    void addTombstone(String name, byte[] id, long expiresAt) throws SQLException {
        update("add-tombstone", namespace.value(), name, id, expiresAt);
    }

    void promoteWaiter(String name, long since, long now) throws SQLException {
        update("promote-waiter", since, now, namespace.value(), name);
    }

    void promoteWaiterOfBusyLock(String name, long since) throws SQLException {
        update("promote-waiter-of-busy-lock", since, namespace.value(), name);
    }

    @Nullable
    WaiterRow findFirstWaiter(String name) throws SQLException {
        return readWaiter(prepare("find-first-waiter", namespace.value(), name));
    }

    @Nullable
    WaiterRow findFirstLivingWaiter(String name, long now) throws SQLException {
        return readWaiter(
                prepare("find-first-living-waiter", namespace.value(), name, now - WaiterRow.TIME_TO_LIVE, now));
    }

    @Nullable
    WaiterRow findWaiter(String name, byte[] id) throws SQLException {
        return readWaiter(prepare("find-waiter", namespace.value(), name, id));
    }

    private static @Nullable WaiterRow readWaiter(PreparedStatement query) throws SQLException {
        try (query;
                ResultSet row = query.executeQuery()) {
            return row.next()
                    ? new WaiterRow(row.getBytes("id"), row.getLong("position"), row.getLong("seen_at"))
                    : null;
        }
    }

    /** Takes the last position, and returns it. */
    long enqueue(String name, byte[] id, String owner, long seenAt) throws SQLException {
        return queryNumber("enqueue", namespace.value(), name, id, owner, seenAt);
    }

    void refreshWaiter(String name, byte[] id, long seenAt) throws SQLException {
        update("refresh-waiter", seenAt, namespace.value(), name, id);
    }

    /** How many living waiters come before this position; no more are counted than matter. */
    int countWaitersBefore(String name, long position, long now) throws SQLException {
        return (int) queryNumber(
                "count-waiters-before",
                namespace.value(),
                name,
                position,
                now - WaiterRow.TIME_TO_LIVE,
                now,
                MAX_COUNTED_BEFORE);
    }

    void dequeue(String name, byte[] id) throws SQLException {
        update("dequeue", namespace.value(), name, id);
    }

    void clearQueue(String name) throws SQLException {
        update("clear-queue", namespace.value(), name);
    }

    /** Removes a few idle rows of any namespace, and raises the token floor to their tokens. */
    void prune(long idleBefore, long now) throws SQLException {
        long greatest = 0;
        List<String[]> removed = new ArrayList<>();
        try (PreparedStatement statement = prepare("prune-locks", idleBefore, now - WaiterRow.TIME_TO_LIVE, now);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                removed.add(new String[] {rows.getString(1), rows.getString(2)});
                greatest = Math.max(greatest, rows.getLong(3));
            }
        }
        for (String[] lock : removed) {
            update("clear-queue", lock[0], lock[1]); // its waiters are dead
        }
        if (greatest > 0) {
            update("raise-token-floor", greatest);
        }
        update("prune-waiters", now - LONG_DEAD, now);
        update("prune-tombstones", now);
    }

    private long queryNumber(String statementName, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(statementName, parameters);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private void update(String statementName, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(statementName, parameters)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(String statementName, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql(statementName));
        for (int at = 0; at < parameters.length; at++) {
            statement.setObject(at + 1, parameters[at]);
        }
        return statement;
    }
}
