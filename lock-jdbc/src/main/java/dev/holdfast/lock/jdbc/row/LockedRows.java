package dev.holdfast.lock.jdbc.row;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/**
 * Locks the rows of a transaction's locks, in a number of statements that does not grow with the number of locks.
 *
 * <p>Transactions cannot deadlock: of several rows this one takes those that are free, and waits for none. It waits for one row
 * alone, and for rows that it creates, in the order of their keys, before it locks others.
 */
final class LockedRows {

    /** Attempts to create a row that other transactions create first and remove again; after them it counts as locked by others. */
    private static final int MAX_CREATIONS = 10;

    private static final String INTEGRITY_VIOLATION = "23"; // a class of SQLSTATE

    private final StatementSender sender;
    private final Dialect dialect;
    private final NavigableMap<LockKey, Boolean> wanted;
    private final List<Map<String, Object>> parameters;

    /** Whether to wait for a row that another transaction has locked. */
    private final boolean mayWait;

    private final Set<LockKey> existing = new HashSet<>();

    /** Whether to create rows; if not, a lock that needs a row and has none is left out. */
    private final boolean mayCreate;

    /**
     * @param wanted the locks, and whether each needs a row
     * @param mayCreate whether to create it; if not, a lock without one is left out
     */
    LockedRows(StatementSender sender, Dialect dialect, NavigableMap<LockKey, Boolean> wanted, boolean mayCreate) {
        this.sender = sender;
        this.dialect = dialect;
        this.wanted = wanted;
        this.mayCreate = mayCreate;
        this.parameters =
                wanted.keySet().stream().map(key -> key.parameters(dialect)).toList();
        this.mayWait = wanted.size() == 1 || dialect.excludesAllWrites();
    }

    /** Ends the transaction, in which nothing was written, and begins another one. */
    @FunctionalInterface
    interface Restart {
        void run() throws SQLException;
    }

    /**
     * Locks the rows, creates those that are needed, and then reads the facts.
     *
     * @return the locks, without those whose rows other transactions have locked or keep creating and removing, or that may not be
     *     created
     */
    Map<LockKey, LockState> lock(LockFacts facts, Restart restart) throws SQLException {
        for (int again = 0; true; again++) {
            Map<LockKey, LockState> locked = facts.reset(wanted.keySet());
            request(locked);
            if (sender.sendsSeveral()) {
                requestExisting(parameters);
                facts.request();
            }
            sender.flush();
            List<LockKey> absent = findAbsent(locked);
            List<LockKey> toCreate = dialect.excludesAllWrites()
                    ? List.of()
                    : absent.stream().filter(wanted::get).toList();
            boolean leavesOut = !mayCreate || again == MAX_CREATIONS;
            if (toCreate.isEmpty() || leavesOut) {
                if (!sender.sendsSeveral()) {
                    facts.request();
                    sender.flush();
                }
                absent.removeAll(leavesOut ? toCreate : List.of());
                Set<LockKey> known = new HashSet<>(absent);
                Map<LockKey, LockState> result = new LinkedHashMap<>(locked);
                result.values().removeIf(state -> !state.exists() && !known.contains(state.key()));
                return result;
            }
            if (locked.values().stream().anyMatch(LockState::exists)) {
                restart.run();
            }
            create(toCreate);
        }
    }

    private void request(Map<LockKey, LockState> locked) throws SQLException {
        sender.addForEach(mayWait ? "lock-locks" : "lock-free-rows", parameters, rows -> {
            while (rows.next()) {
                LockState state = locked.get(LockKey.read(dialect, rows));
                if (state != null) {
                    state.noteRow(LockRow.read(rows));
                }
            }
        });
    }

    /** The locks without a row: an existing row that was not locked belongs to another transaction. */
    private List<LockKey> findAbsent(Map<LockKey, LockState> locked) throws SQLException {
        List<LockKey> missing = new ArrayList<>();
        locked.forEach((key, state) -> {
            if (!state.exists()) {
                missing.add(key);
            }
        });
        if (!missing.isEmpty() && !sender.sendsSeveral()) {
            requestExisting(missing.stream().map(key -> key.parameters(dialect)).toList());
            sender.flush();
        }
        missing.removeAll(existing);
        return missing;
    }

    private void requestExisting(List<Map<String, Object>> keys) throws SQLException {
        existing.clear();
        if (!mayWait) {
            sender.addForEach("find-locks", keys, rows -> {
                while (rows.next()) {
                    existing.add(LockKey.read(dialect, rows));
                }
            });
        }
    }

    /**
     * Creates rows. Where an existing row is an error, only the statement is rolled back, and the others are created at the
     * next attempt.
     */
    private void create(List<LockKey> keys) throws SQLException {
        try {
            sender.addForEach(
                    "create-locks",
                    keys.stream().map(key -> key.parameters(dialect)).toList(),
                    null);
            if (!sender.sendsSeveral()) {
                sender.flush();
            }
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith(INTEGRITY_VIOLATION)) {
                throw e;
            }
        }
    }
}
