package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.schema.Pruner;
import dev.holdfast.lock.jdbc.schema.SqlValues;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Removes what is kept about names that are not in use, a few rows in each transaction. */
final class RowPruning {

    /** Of each kind, in a transaction: each row takes some round trips, while commands for other rows of it wait. */
    private static final int FEW = 20;

    /** A waiter that was silent for so long does not come back. */
    private static final long LONG_DEAD = 4 * WaiterRow.TIME_TO_LIVE;

    private static final Namespace ANY = new Namespace("any");

    private final Dialect dialect;
    private final NamedStatements statements;
    private final long idle;
    private final Duration pause;

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

    /** A part of a round: a transaction for each kind of row, so that each locks rows in the order of their names only. */
    Pruner.Part run(Connections connections, Deadline deadline) throws SQLException {
        int locks = remove(connections, deadline, this::removeLocks);
        int waiters = remove(connections, deadline, this::removeWaiters);
        int tombstones = remove(connections, deadline, this::removeTombstones);
        boolean isOver = Math.max(locks, Math.max(waiters, tombstones)) < FEW;
        return new Pruner.Part(locks + waiters + tombstones, isOver ? pause : Duration.ZERO);
    }

    private int remove(Connections connections, Deadline deadline, Removal removal) throws SQLException {
        return connections.with(deadline, new RowTransaction<Integer>(dialect, statements, connections, deadline) {
            @Override
            Integer execute(StatementSender sender) throws SQLException {
                LockStatements locks = new LockStatements(sender, dialect, ANY);
                return removal.run(locks, locks.readClock());
            }
        });
    }

    /** Removes a few rows, and returns how many. */
    @FunctionalInterface
    private interface Removal {
        int run(LockStatements locks, long now) throws SQLException;
    }

    /** Removes a few rows in a transaction that excludes all other writes. */
    void removeSome(LockStatements locks, long now) throws SQLException {
        removeLocks(locks, now);
        removeWaiters(locks, now);
        removeTombstones(locks, now);
    }

    /** The token floor rises to the tokens of the rows in the same transaction; it is locked last, and for a moment. */
    private int removeLocks(LockStatements locks, long now) throws SQLException {
        int removed = 0;
        long greatest = 0;
        for (LockStatements.Key key : find(locks, "find-idle-locks", now)) {
            LockStatements inNamespace = locks.inNamespace(new Namespace(key.namespace()));
            LockRow row = inNamespace.findAndLock(key.name());
            if (row == null || row.expiresAt() >= now - idle) {
                continue; // used meanwhile
            }
            if (inNamespace.findFirstLivingWaiter(key.name(), locks.readClock()) != null) {
                continue; // waited for meanwhile
            }
            inNamespace.clearQueue(key.name()); // its waiters are dead
            inNamespace.deleteLock(key.name());
            greatest = Math.max(greatest, row.token());
            removed++;
        }
        if (greatest > 0) {
            locks.raiseTokenFloor(greatest);
        }
        return removed;
    }

    private int removeWaiters(LockStatements locks, long now) throws SQLException {
        int removed = 0;
        for (LockStatements.Key key : find(locks, "find-dead-waiters", now)) {
            byte[] id = key.id();
            LockStatements inNamespace = locks.inNamespace(new Namespace(key.namespace()));
            if (id == null || !inNamespace.lock(key.name()).isBusy(now)) {
                continue;
            }
            long locked = locks.readClock(); // for one read before, a waiter that came since would be one of the future
            WaiterRow waiter = inNamespace.findWaiter(key.name(), id);
            if (waiter != null && (waiter.seenAt() < locked - LONG_DEAD || waiter.seenAt() > locked)) {
                inNamespace.dequeue(key.name(), id);
                removed++;
            }
        }
        return removed;
    }

    private int removeTombstones(LockStatements locks, long now) throws SQLException {
        List<LockStatements.Key> found = find(locks, "find-old-tombstones", now);
        for (LockStatements.Key key : found) {
            byte[] id = key.id();
            if (id != null) {
                locks.inNamespace(new Namespace(key.namespace())).deleteTombstone(key.name(), id, now);
            }
        }
        return found.size();
    }

    /** In the order in which commands lock rows. */
    private List<LockStatements.Key> find(LockStatements locks, String query, long now) throws SQLException {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("now", now);
        parameters.put("idle_before", now - idle);
        parameters.put("dead_since", now - WaiterRow.TIME_TO_LIVE);
        parameters.put("long_dead_since", now - LONG_DEAD);
        parameters.put("limit", FEW);
        return locks.findKeys(query, parameters).stream()
                .sorted(Comparator.comparing(LockStatements.Key::name).thenComparing(LockStatements.Key::namespace))
                .toList();
    }
}
