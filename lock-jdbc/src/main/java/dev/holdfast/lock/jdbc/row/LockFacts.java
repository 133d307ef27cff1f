package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.row.NamedStatements.Bound;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.Namespace;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the input of decisions beyond the rows of the locks: the clock, the token floor, tombstones, and for each queue its
 * front, its end, and the waiters that ask.
 */
final class LockFacts {

    /** The waiters read at the front of a queue: more than one, as the first may be dead. */
    private static final int FRONT = 8;

    /** The queues that one statement reads. */
    private static final int QUEUES = 64;

    private final StatementSender sender;
    private final Dialect dialect;
    private final Namespace namespace;
    private final List<LockCommand> commands;
    private final Map<LockKey, LockState> states = new LinkedHashMap<>();
    private final Map<LockKey, List<WaiterRow>> fronts = new LinkedHashMap<>();
    private final Map<LockKey, Set<AcquisitionId>> asked = new LinkedHashMap<>();
    private final Set<LockKey> contended = new LinkedHashSet<>();
    private long now;
    private long tokenFloor;

    LockFacts(StatementSender sender, Dialect dialect, Namespace namespace, List<LockCommand> commands) {
        this.sender = sender;
        this.dialect = dialect;
        this.namespace = namespace;
        this.commands = commands;
    }

    /** The clock, after the rows were locked. */
    long now() {
        return now;
    }

    long tokenFloor() {
        return tokenFloor;
    }

    /** New states of locks of which nothing is known. */
    Map<LockKey, LockState> reset(Collection<LockKey> keys) {
        states.clear();
        fronts.clear();
        asked.clear();
        contended.clear();
        for (LockKey key : keys) {
            states.put(key, new LockState(key, new Source(key)));
        }
        return states;
    }

    LockKey key(LockCommand command) {
        return new LockKey(namespace.value(), command.name().value());
    }

    /** Requests the facts, to be read at the next flush, after the rows have been locked. */
    void request() throws SQLException {
        List<Bound> queries = new ArrayList<>();
        queries.add(sender.bind("read-clock-and-floor", Map.of()));
        Map<LockKey, Map<String, Object>> asking = new LinkedHashMap<>();
        List<Map<String, Object>> ids = new ArrayList<>();
        for (LockCommand command : commands) {
            LockKey key = key(command);
            if (command instanceof LockCommand.Acquire) {
                ids.add(key.parameters(dialect, command.id()));
                asking.put(key, key.parameters(dialect));
            }
        }
        queries.addAll(sender.bindForEach("read-tombstones", Map.of(), ids));
        queries.addAll(sender.bindForEach("read-first-waiters", Map.of(), List.copyOf(asking.values())));
        requestAll(queries);
    }

    /** Adds queries of the same columns, as one statement or, if that would be too long, as several. */
    private void requestAll(List<Bound> queries) throws SQLException {
        List<Bound> together = new ArrayList<>();
        int size = 0;
        for (Bound query : queries) {
            if (!together.isEmpty() && size + query.size() > StatementSender.MAX_BYTES / 2) {
                sender.add(Bound.union(together), this::read);
                together.clear();
                size = 0;
            }
            together.add(query);
            size += query.size();
        }
        if (!together.isEmpty()) {
            sender.add(Bound.union(together), this::read);
        }
    }

    /** Reads the queues that the commands need: of locks that are asked for, those that are not empty. */
    void readQueues(Map<LockKey, LockState> locked) throws SQLException {
        noteQueues();
        Set<LockKey> needed = new LinkedHashSet<>();
        for (LockCommand command : commands) {
            LockKey key = key(command);
            LockState state = locked.get(key);
            if (state == null
                    || state.shared() != null
                    || asked.containsKey(key)
                    || command instanceof LockCommand.Renew) {
                continue;
            }
            boolean isHolders =
                    command instanceof LockCommand.Release && state.row().isHeldBy(command.id(), now);
            if (command instanceof LockCommand.Acquire ? contended.contains(key) : !isHolders) {
                needed.add(key);
            } else if (command instanceof LockCommand.Acquire) {
                state.waiters().noteFront(List.of(), 1);
                state.waiters().noteLast(0);
            }
        }
        if (!needed.isEmpty()) {
            List<LockKey> all = List.copyOf(needed);
            for (int from = 0; from < all.size(); from += QUEUES) {
                requestAll(queues(all.subList(from, Math.min(from + QUEUES, all.size()))));
            }
            sender.flush();
            noteQueues();
        }
    }

    /** Reads the shares and the whole queues of locks whose state is shared, or of which a command asks for a share. */
    void readShares(Map<LockKey, LockState> locked) throws SQLException {
        Map<LockKey, SharedLock> needed = new LinkedHashMap<>();
        for (LockCommand command : commands) {
            LockState state = locked.get(key(command));
            if (state != null && isShared(command, state)) {
                needed.computeIfAbsent(state.key(), key -> new SharedLock());
            }
        }
        if (needed.isEmpty()) {
            return;
        }
        List<Map<String, Object>> keys =
                needed.keySet().stream().map(key -> key.parameters(dialect)).toList();
        sender.addForEach("read-shares", keys, rows -> {
            while (rows.next()) {
                SharedLock lock = needed.get(LockKey.read(dialect, rows));
                if (lock != null) {
                    lock.noteShare(ShareRow.read(rows));
                }
            }
        });
        sender.addForEach("read-queues", keys, rows -> {
            while (rows.next()) {
                SharedLock lock = needed.get(LockKey.read(dialect, rows));
                if (lock != null) {
                    lock.noteWaiter(SharedLock.Stored.read(rows));
                }
            }
        });
        sender.flush();
        needed.forEach((key, lock) -> {
            LockState state = locked.get(key);
            if (state != null) {
                lock.begin(state.row(), now);
                state.share(lock);
            }
        });
    }

    private static boolean isShared(LockCommand command, LockState state) {
        return state.row().isShared()
                || (command instanceof LockCommand.Acquire && !command.share().isExclusive());
    }

    private List<Bound> queues(Collection<LockKey> keys) {
        List<Bound> queries = new ArrayList<>();
        List<Map<String, Object>> ids = new ArrayList<>();
        for (LockKey key : keys) {
            Map<String, Object> parameters = key.parameters(dialect);
            parameters.put("after", 0L);
            parameters.put("limit", FRONT);
            queries.add(sender.bind("read-front", parameters));
            parameters.put("limit", 1);
            queries.add(sender.bind("read-last", parameters));
            asked.computeIfAbsent(key, ignored -> new LinkedHashSet<>());
            fronts.put(key, new ArrayList<>());
        }
        for (LockCommand command : commands) {
            LockKey key = key(command);
            Set<AcquisitionId> ofLock = asked.get(key);
            if (ofLock != null && keys.contains(key) && ofLock.add(command.id())) {
                ids.add(key.parameters(dialect, command.id()));
            }
        }
        queries.addAll(sender.bindForEach("read-waiters", Map.of(), ids));
        return queries;
    }

    /** Rows of all kinds, as {@code statements.sql} says. */
    private void read(ResultSet rows) throws SQLException {
        while (rows.next()) {
            String kind = rows.getString("kind");
            long first = rows.getLong("first_number");
            long second = rows.getLong("second_number");
            if (kind.equals("clock")) {
                now = first;
                tokenFloor = second;
                continue;
            }
            LockKey key = LockKey.read(dialect, rows);
            LockState state = states.get(key);
            if (state == null) {
                continue;
            }
            AcquisitionId id = LockKey.fromColumn(rows.getBytes("id"));
            WaiterRow waiter = new WaiterRow(id, first, second);
            switch (kind) {
                case "tombstone" -> state.noteTombstone(id, first);
                case "first" -> contended.add(key);
                case "front" ->
                    fronts.computeIfAbsent(key, ignored -> new ArrayList<>()).add(waiter);
                case "last" -> state.waiters().noteLast(first);
                default -> state.waiters().noteFound(waiter);
            }
        }
    }

    private void noteQueues() {
        fronts.forEach((key, front) -> {
            LockState state = states.get(key);
            if (state != null) {
                front.sort(Comparator.comparingLong(WaiterRow::position));
                state.waiters().noteFront(front, FRONT);
                if (front.isEmpty()) {
                    state.waiters().noteLast(0);
                }
                asked.getOrDefault(key, Set.of()).forEach(id -> state.waiters().noteLookedFor(id));
            }
        });
        fronts.clear();
    }

    /** Reads the missing parts of a queue by separate queries. */
    private final class Source implements Waiters.Source {

        private final LockKey key;

        Source(LockKey key) {
            this.key = key;
        }

        @Override
        public List<WaiterRow> readAfter(long position, int limit) throws SQLException {
            Map<String, Object> parameters = key.parameters(dialect);
            parameters.put("after", position);
            parameters.put("limit", limit);
            return waiters("read-front", parameters);
        }

        @Override
        public @Nullable WaiterRow find(AcquisitionId id) throws SQLException {
            List<WaiterRow> found = new ArrayList<>();
            sender.addForEach("read-waiters", List.of(key.parameters(dialect, id)), rows -> read(rows, found));
            sender.flush();
            return found.isEmpty() ? null : found.get(0);
        }

        @Override
        public long lastPosition() throws SQLException {
            Map<String, Object> parameters = key.parameters(dialect);
            parameters.put("limit", 1);
            List<WaiterRow> found = waiters("read-last", parameters);
            return found.isEmpty() ? 0 : found.get(0).position();
        }

        private List<WaiterRow> waiters(String query, Map<String, Object> parameters) throws SQLException {
            return sender.query(query, parameters, rows -> read(rows, new ArrayList<>()));
        }

        private static List<WaiterRow> read(ResultSet rows, List<WaiterRow> found) throws SQLException {
            while (rows.next()) {
                found.add(new WaiterRow(
                        LockKey.fromColumn(rows.getBytes("id")),
                        rows.getLong("first_number"),
                        rows.getLong("second_number")));
            }
            return found;
        }
    }
}
