package dev.holdfast.lock.jdbc.row;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Writes the changes of commands, in a number of statements that does not grow with the number of locks; sent with the commit. */
final class RowWriter {

    private final StatementSender sender;
    private final Dialect dialect;

    RowWriter(StatementSender sender, Dialect dialect) {
        this.sender = sender;
        this.dialect = dialect;
    }

    void write(Collection<LockState> locks) throws SQLException {
        List<Map<String, Object>> rows = new ArrayList<>();
        List<Map<String, Object>> shares = new ArrayList<>();
        List<Map<String, Object>> ended = new ArrayList<>();
        List<Map<String, Object>> waiters = new ArrayList<>();
        List<Map<String, Object>> left = new ArrayList<>();
        List<Map<String, Object>> tombstones = new ArrayList<>();
        for (LockState lock : locks) {
            LockKey key = lock.key();
            if (lock.isChanged()) {
                Map<String, Object> row = key.parameters(dialect);
                lock.row().addTo(row);
                rows.add(row);
            }
            lock.waiters().changed().forEach((id, waiter) -> {
                Map<String, Object> row = key.parameters(dialect, id);
                row.put("position", waiter.row().position());
                row.put("owner", waiter.owner());
                row.put("seen_at", waiter.row().seenAt());
                row.put("permits", 1);
                row.put("permit_limit", 1);
                row.put("due_at", null);
                waiters.add(row);
            });
            lock.waiters().removed().forEach(id -> left.add(key.parameters(dialect, id)));
            SharedLock shared = lock.shared();
            if (shared != null) {
                shared.write(
                        lock.row(),
                        new SharedLock.Changes(
                                share -> {
                                    Map<String, Object> row = key.parameters(dialect, share.id());
                                    share.addTo(row);
                                    shares.add(row);
                                },
                                id -> ended.add(key.parameters(dialect, id)),
                                waiter -> {
                                    Map<String, Object> row = key.parameters(
                                            dialect, waiter.place().id());
                                    waiter.addTo(row);
                                    waiters.add(row);
                                },
                                id -> left.add(key.parameters(dialect, id))));
            }
            lock.newTombstones().forEach((id, expiresAt) -> {
                Map<String, Object> row = key.parameters(dialect, id);
                row.put("expires_at", expiresAt);
                tombstones.add(row);
            });
        }
        sender.addForEach("write-locks", rows, null);
        sender.addForEach("delete-shares", ended, null);
        sender.addForEach("write-shares", shares, null);
        sender.addForEach("delete-waiters", left, null);
        sender.addForEach("write-waiters", waiters, null);
        sender.addForEach("write-tombstones", tombstones, null);
    }
}
