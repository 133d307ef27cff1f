package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.Namespace;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements about the locks of one namespace, within a transaction that the caller began. */
final class LockStatements {

    /** Beyond these {@link dev.holdfast.lock.spi.support.QueueTimes#retryAfter} makes no difference. */
    private static final int MAX_COUNTED_BEFORE = 4;

    private static final int SEVERAL_CREATIONS = 10;

    private static final String INTEGRITY_VIOLATION = "23"; // a class of SQLSTATE

    private final StatementSender sender;
    private final Dialect dialect;
    private final Object namespace;

    LockStatements(StatementSender sender, Dialect dialect, Namespace namespace) {
        this.sender = sender;
        this.dialect = dialect;
        this.namespace = dialect.toColumn(namespace.value());
    }

    /** The same in another namespace. */
    LockStatements inNamespace(Namespace other) {
        return new LockStatements(sender, dialect, other);
    }

    /** The clock, after the statements before this one. */
    long readClock() throws SQLException {
        return queryNumber("read-clock", Map.of());
    }

    /** Reads the row of a lock, and locks it if transactions do not exclude all other writes. */
    LockRow lock(String name) throws SQLException {
        LockRow row = findAndLock(name);
        return row == null ? LockRow.NONE : row;
    }

    /** As {@link #lock}; null if there is no row, which is not a row of which nothing is known. */
    @Nullable
    LockRow findAndLock(String name) throws SQLException {
        return sender.find(
                "lock-lock",
                of(name),
                row -> new LockRow(
                        row.getLong("token"),
                        row.getBytes("id"),
                        row.getLong("granted_at"),
                        row.getLong("expires_at"),
                        row.getString("state"),
                        row.getLong("promoted_at")));
    }

    /**
     * As {@link #lock}, and creates the row if there is none and it has to be locked. The number of rows that the creation reports
     * means nothing: drivers of MySQL count a row that was there.
     */
    LockRow lockOrCreate(String name) throws SQLException {
        LockRow row = findAndLock(name);
        for (int again = 0; row == null && !dialect.excludesAllWrites(); again++) {
            if (again == SEVERAL_CREATIONS) {
                throw new SQLException("the row of the lock " + name + " is removed again and again");
            }
            createLock(name);
            row = findAndLock(name);
        }
        return row == null ? LockRow.NONE : row;
    }

    private void createLock(String name) throws SQLException {
        try {
            sender.update("create-lock", of(name));
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith(INTEGRITY_VIOLATION)) {
                throw e;
            }
            // another transaction created it; only this statement was rolled back
        }
    }

    /**
     * What the decision about an id that asks for a lock takes.
     *
     * @param now by the database's clock
     * @param hasTombstone whether the id was given up
     */
    record Facts(
            long now,
            long tokenFloor,
            boolean hasTombstone,
            @Nullable WaiterRow firstWaiter) {}

    Facts readFacts(String name, byte[] id) throws SQLException {
        return sender.query("read-facts", of(name, id), row -> {
            row.next();
            long now = row.getLong("now");
            return new Facts(
                    now,
                    row.getLong("token_floor"),
                    row.getLong("tombstone_expires_at") > now,
                    row.getBytes("id") == null ? null : waiter(row));
        });
    }

    void grant(String name, long token, byte[] id, String owner, long grantedAt, long expiresAt) throws SQLException {
        Map<String, Object> parameters = of(name, id);
        parameters.put("token", token);
        parameters.put("owner", owner);
        parameters.put("granted_at", grantedAt);
        parameters.put("expires_at", expiresAt);
        sender.writeExisting("grant", parameters);
    }

    void renew(String name, long expiresAt) throws SQLException {
        sender.write("renew", with(of(name), "expires_at", expiresAt));
    }

    void release(String name, long expiresAt, String state) throws SQLException {
        sender.write("release", with(with(of(name), "expires_at", expiresAt), "state", state));
    }

    void addTombstone(String name, byte[] id, long expiresAt) throws SQLException {
        Map<String, Object> parameters = with(of(name, id), "expires_at", expiresAt);
        long before = queryNumber("find-tombstone", parameters);
        if (before >= expiresAt) {
            return;
        }
        if (before == 0
                || sender.update("extend-tombstone", parameters)
                        == 0) { // an expired one may have been pruned meanwhile
            sender.write("add-tombstone", parameters);
        }
    }

    /**
     * Frees a lock that the id holds, in a statement that needs no transaction; returns whether it did. Its clock may be read
     * before a wait for the row: if the lease ended in that wait, no other id was granted, as the row still names this one.
     */
    boolean releaseHeld(String name, byte[] id) throws SQLException {
        return sender.update("release-held", of(name, id)) > 0;
    }

    void promoteWaiter(String name, long since, long now) throws SQLException {
        sender.write("promote-waiter", with(with(of(name), "since", since), "now", now));
    }

    void promoteWaiterOfBusyLock(String name, long since) throws SQLException {
        sender.write("promote-waiter-of-busy-lock", with(of(name), "since", since));
    }

    @Nullable
    WaiterRow findFirstWaiter(String name) throws SQLException {
        return readWaiter("find-first-waiter", with(of(name), "limit", 1));
    }

    @Nullable
    WaiterRow findFirstLivingWaiter(String name, long now) throws SQLException {
        return readWaiter("find-first-living-waiter", with(living(of(name), now), "limit", 1));
    }

    @Nullable
    WaiterRow findWaiter(String name, byte[] id) throws SQLException {
        return readWaiter("find-waiter", of(name, id));
    }

    private @Nullable WaiterRow readWaiter(String query, Map<String, Object> parameters) throws SQLException {
        return sender.find(query, parameters, LockStatements::waiter);
    }

    private static WaiterRow waiter(ResultSet row) throws SQLException {
        return new WaiterRow(row.getBytes("id"), row.getLong("position"), row.getLong("seen_at"));
    }

    /** Takes the last position, and returns it. */
    long enqueue(String name, byte[] id, String owner, long now) throws SQLException {
        long position = queryNumber("find-last-position", of(name)) + 1;
        sender.write("enqueue", with(with(with(of(name, id), "position", position), "owner", owner), "now", now));
        return position;
    }

    /** Takes the last position, in exchange for another one, and returns it. */
    long requeue(String name, byte[] id, long now) throws SQLException {
        long position = queryNumber("find-last-position", of(name)) + 1;
        sender.write("requeue", with(with(of(name, id), "position", position), "now", now));
        return position;
    }

    void refreshWaiter(String name, byte[] id, long now) throws SQLException {
        sender.write("refresh-waiter", with(of(name, id), "now", now));
    }

    /** How many living waiters come before this position; no more are counted than matter. */
    int countWaitersBefore(String name, long position, long now) throws SQLException {
        Map<String, Object> parameters = with(living(of(name), now), "position", position);
        return (int) queryNumber("count-waiters-before", with(parameters, "limit", MAX_COUNTED_BEFORE));
    }

    void dequeue(String name, byte[] id) throws SQLException {
        sender.write("dequeue", of(name, id));
    }

    void clearQueue(String name) throws SQLException {
        List<byte[]> ids = sender.query("find-waiters", of(name), rows -> {
            List<byte[]> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getBytes("id"));
            }
            return all;
        });
        for (byte[] id : ids) {
            dequeue(name, id);
        }
    }

    void deleteLock(String name) throws SQLException {
        sender.write("delete-lock", of(name));
    }

    void raiseTokenFloor(long token) throws SQLException {
        sender.write("raise-token-floor", Map.of("token", token));
    }

    void deleteTombstone(String name, byte[] id, long now) throws SQLException {
        sender.write("delete-tombstone", with(of(name, id), "now", now));
    }

    /**
     * Locks, waiters or tombstones of any namespace.
     *
     * @param id null of a lock
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    record Key(String namespace, String name, byte @Nullable [] id) {}

    List<Key> findKeys(String query, Map<String, Object> parameters) throws SQLException {
        return sender.query(query, parameters, rows -> {
            List<Key> keys = new ArrayList<>();
            boolean hasId = rows.getMetaData().getColumnCount() > 2;
            while (rows.next()) {
                keys.add(new Key(
                        dialect.fromColumn(rows, "namespace"),
                        dialect.fromColumn(rows, "name"),
                        hasId ? rows.getBytes("id") : null));
            }
            return keys;
        });
    }

    private Map<String, Object> of(String name) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("namespace", namespace);
        parameters.put("name", dialect.toColumn(name));
        return parameters;
    }

    private Map<String, Object> of(String name, byte[] id) {
        return with(of(name), "id", id);
    }

    private static Map<String, Object> living(Map<String, Object> parameters, long now) {
        return with(with(parameters, "now", now), "dead_since", now - WaiterRow.TIME_TO_LIVE);
    }

    private static Map<String, Object> with(Map<String, Object> parameters, String name, Object value) {
        parameters.put(name, value);
        return parameters;
    }

    /** The number, or zero if there is no row. */
    private long queryNumber(String query, Map<String, ?> parameters) throws SQLException {
        return sender.query(query, parameters, row -> row.next() ? row.getLong(1) : 0L);
    }
}
