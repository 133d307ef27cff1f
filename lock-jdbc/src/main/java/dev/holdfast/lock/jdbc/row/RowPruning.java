package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.Pruner;
import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Removes the rows of names that are not in use, many in each transaction. It locks rows that no other transaction has
 * locked, and waits for none.
 */
final class RowPruning {

    /** Rows of each kind in a transaction that excludes all other writes, and that a release waits for. */
    private static final int FEW = 20;

    private static final int MIN_SIZE = 256;
    private static final int MAX_SIZE = 2_048;

    /** Commands for the rows of a transaction wait until it ends. Its round trips may take this time already. */
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LONG = TimeUnit.MILLISECONDS.toNanos(200);

    /** A waiter that was silent for this long does not come back. */
    private static final long LONG_DEAD = 4 * WaiterRow.TIME_TO_LIVE;

    private static final Namespace ANY = new Namespace("any");

    private final Dialect dialect;
    private final NamedStatements statements;
    private final long idle;
    private final Duration pause;

    /** The number of rows that a transaction removes: more if the last one was short. Used only by the pruning thread. */
    private volatile int size = MIN_SIZE;

    /**
     * @param idle how long a lock must have been unused before its row is pruned
     * @param pause from the end of a round to the next
     */
    RowPruning(Dialect dialect, NamedStatements statements, Duration idle, Duration pause) {
        this.dialect = dialect;
        this.statements = statements;
        this.idle = SqlValues.micros(idle);
        this.pause = pause;
    }

    /** A part of a round: a transaction for each kind of row. */
    Pruner.Part run(Connections connections, Deadline deadline) throws SQLException {
        int limit = size;
        long began = System.nanoTime();
        int locks = remove(connections, deadline, limit, this::removeLocks);
        long lasted = System.nanoTime() - began;
        int waiters = remove(connections, deadline, limit, this::removeWaiters);
        int tombstones = remove(connections, deadline, limit, this::removeTombstones);
        size = nextSize(limit, locks, lasted);
        boolean isOver = Math.max(locks, Math.max(waiters, tombstones)) < limit;
        return new Pruner.Part(locks + waiters + tombstones, isOver ? pause : Duration.ZERO);
    }

    private static int nextSize(int limit, int removed, long lasted) {
        if (lasted > LONG) {
            return Math.max(MIN_SIZE, limit / 2);
        }
        return removed == limit && lasted < SHORT ? Math.min(2 * limit, MAX_SIZE) : limit;
    }

    private int remove(Connections connections, Deadline deadline, int limit, Removal removal) throws SQLException {
        return connections.with(deadline, new RowTransaction<Integer>(dialect, statements, connections, deadline) {
            @Override
            Integer execute(StatementSender sender, LockedRows.Restart restart) throws SQLException {
                return removal.run(sender, restart, sender.readClock(), limit);
            }
        });
    }

    /** Removes rows, and returns the number found. */
    @FunctionalInterface
    private interface Removal {
        int run(StatementSender sender, LockedRows.Restart restart, long now, int limit) throws SQLException;
    }

    /** Removes a few rows in a transaction that excludes all other writes. */
    void removeSome(StatementSender sender, long now) throws SQLException {
        LockedRows.Restart none = () -> {};
        removeLocks(sender, none, now, FEW);
        removeWaiters(sender, none, now, FEW);
        removeTombstones(sender, none, now, FEW);
    }

    /** Raises the token floor to the tokens of the rows in the same transaction; it is locked last, and only for a moment. */
    private int removeLocks(StatementSender sender, LockedRows.Restart restart, long now, int limit)
            throws SQLException {
        Set<LockKey> shared = new HashSet<>();
        Map<LockKey, Long> tokens = sender.query("find-idle-locks", parameters(now, limit), rows -> {
            Map<LockKey, Long> found = new HashMap<>();
            while (rows.next()) {
                LockKey key = LockKey.read(dialect, rows);
                found.put(key, rows.getLong("token"));
                if (rows.getString("state").equals(LockRow.SHARED)) {
                    shared.add(key);
                }
            }
            return found;
        });
        int found = tokens.size();
        removeShares(sender, shared);
        List<Map<String, Object>> deadWaiters = new ArrayList<>();
        Set<LockKey> waitedFor = new HashSet<>();
        sender.addForEach("find-waiters-of-locks", keys(tokens.keySet()), rows -> {
            while (rows.next()) {
                LockKey key = LockKey.read(dialect, rows);
                AcquisitionId id = LockKey.fromColumn(rows.getBytes("id"));
                if (new WaiterRow(id, 1, rows.getLong("seen_at")).isDead(rows.getLong("now"))) {
                    deadWaiters.add(key.parameters(dialect, id));
                } else {
                    waitedFor.add(key); // since its row was found, but before it was locked
                }
            }
        });
        sender.flush();
        tokens.keySet().removeAll(waitedFor);
        long greatest = tokens.values().stream().mapToLong(token -> token).max().orElse(0);
        if (greatest > 0) {
            sender.add(sender.bind("raise-token-floor", Map.of("token", greatest)), null);
        }
        sender.addForEach("delete-waiters", deadWaiters, null);
        sender.addForEach("delete-locks", keys(tokens.keySet()), null);
        return found;
    }

    /** Removes the shares of idle locks: all have ended. A lock that is waited for all the same loses nothing by that. */
    private void removeShares(StatementSender sender, Set<LockKey> locks) throws SQLException {
        List<Map<String, Object>> ended = new ArrayList<>();
        sender.addForEach("read-shares", keys(locks), rows -> {
            while (rows.next()) {
                ended.add(LockKey.read(dialect, rows).parameters(dialect, LockKey.fromColumn(rows.getBytes("id"))));
            }
        });
        sender.flush();
        sender.addForEach("delete-shares", ended, null);
    }

    private int removeWaiters(StatementSender sender, LockedRows.Restart restart, long now, int limit)
            throws SQLException {
        Map<LockKey, Boolean> locks = new TreeMap<>();
        List<Map<String, Object>> ids = new ArrayList<>();
        sender.query("find-dead-waiters", parameters(now, limit), rows -> {
            while (rows.next()) {
                LockKey key = LockKey.read(dialect, rows);
                locks.put(key, false);
                ids.add(key.parameters(dialect, LockKey.fromColumn(rows.getBytes("id"))));
            }
            return ids;
        });
        if (ids.isEmpty()) {
            return 0;
        }
        LockFacts facts = new LockFacts(sender, dialect, ANY, List.of());
        Map<LockKey, LockState> locked =
                new LockedRows(sender, dialect, new TreeMap<>(locks), false).lock(facts, restart);
        List<Map<String, Object>> dead = new ArrayList<>();
        sender.addForEach("read-waiters", ids, rows -> {
            while (rows.next()) {
                LockKey key = LockKey.read(dialect, rows);
                LockState lock = locked.get(key);
                long seenAt = rows.getLong("second_number");
                if (lock != null
                        && lock.row().isBusy(now)
                        && (seenAt < facts.now() - LONG_DEAD || seenAt > facts.now())) {
                    dead.add(key.parameters(dialect, LockKey.fromColumn(rows.getBytes("id"))));
                }
            }
        });
        sender.flush();
        sender.addForEach("delete-waiters", dead, null);
        return dead.size();
    }

    private int removeTombstones(StatementSender sender, LockedRows.Restart restart, long now, int limit)
            throws SQLException {
        List<Map<String, Object>> found = sender.query("find-old-tombstones", parameters(now, limit), rows -> {
            List<Map<String, Object>> keys = new ArrayList<>();
            while (rows.next()) {
                keys.add(LockKey.read(dialect, rows).parameters(dialect, LockKey.fromColumn(rows.getBytes("id"))));
            }
            return keys;
        });
        sender.addForEach("delete-tombstones", found, null);
        return found.size();
    }

    private List<Map<String, Object>> keys(Set<LockKey> keys) {
        return keys.stream().map(key -> key.parameters(dialect)).toList();
    }

    private Map<String, Object> parameters(long now, int limit) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("now", now);
        parameters.put("idle_before", now - idle);
        parameters.put("dead_since", now - WaiterRow.TIME_TO_LIVE);
        parameters.put("long_dead_since", now - LONG_DEAD);
        parameters.put("limit", limit);
        return parameters;
    }
}
