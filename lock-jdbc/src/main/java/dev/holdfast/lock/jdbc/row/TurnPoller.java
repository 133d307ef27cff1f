package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import dev.holdfast.lock.spi.support.ReconnectingListener;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Notifies the waiters of this process whose turn has come, in a database without notifications: one thread asks for the locks
 * that callers of this process wait for, by a query for all of them, and not at all while no caller waits. Its cost to the
 * database does not depend on the waiters of other processes.
 */
public final class TurnPoller implements NotificationSource {

    /** The time limit of each poll. */
    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(3);

    /** The maximum number of names in one query: MariaDB plans a list of a thousand values or more as a join. */
    private static final int MAX_NAMES = 900;

    private final Dialect dialect;
    private final NamedStatements statements;
    private final JdbcUrl url;
    private final Connections connections;
    private final Namespace namespace;
    private final OwnWaiters waiters;

    TurnPoller(
            Dialect dialect,
            NamedStatements statements,
            JdbcUrl url,
            Connections connections,
            Namespace namespace,
            OwnWaiters waiters) {
        this.dialect = dialect;
        this.statements = statements;
        this.url = url;
        this.connections = connections;
        this.namespace = namespace;
        this.waiters = waiters;
    }

    /** Decides how and when turns are read. Used by one thread. */
    public interface Poll extends AutoCloseable {

        /** The shortest pause: at most twenty queries a second, and an average delay of half the pause. */
        long MIN_PAUSE_MILLIS = 50;

        /** The longest pause, when locks have been held for long. */
        long MAX_PAUSE_MILLIS = 250;

        /** Runs the query, unless nothing can have changed since it last ran; returns whether it ran. */
        boolean read(Connections.Work<?> query) throws SQLException;

        /**
         * How long to pause before the next read. By default a twentieth of the time since the last change: a hand-over adds
         * that little to the time that its waiter has already waited.
         *
         * @param unchangedMillis the time since a turn last came or went
         */
        default long pauseMillis(long unchangedMillis) {
            return Math.max(MIN_PAUSE_MILLIS, Math.min(unchangedMillis / 20, MAX_PAUSE_MILLIS));
        }

        @Override
        void close() throws SQLException;

        /** Polls on a dedicated connection, so that a poll neither waits for the pool nor hides an outage of the database. */
        static Poll on(Connections connections, Dialect dialect) throws SQLException {
            return new ConnectedPoll(connections, dialect);
        }
    }

    private static final class ConnectedPoll implements Poll {

        private final Connection connection;
        private final boolean isApplications;
        private final boolean autoCommit;
        private final Restoration restoration;

        ConnectedPoll(Connections connections, Dialect dialect) throws SQLException {
            connection = connections.direct().getConnection();
            isApplications = connections.areApplications();
            try {
                autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(true);
                restoration = dialect.limitPolls(new Session(connection, Deadline.in(POLL_TIMEOUT), isApplications));
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        }

        @Override
        public boolean read(Connections.Work<?> query) throws SQLException {
            query.on(connection);
            return true;
        }

        @Override
        public void close() throws SQLException {
            try (connection) {
                if (isApplications && connection.isValid(1)) {
                    restoration.run();
                    connection.setAutoCommit(autoCommit);
                }
            }
        }
    }

    /**
     * The turn of a waiter, as long as the lock does not change.
     *
     * @param token of the lock
     * @param since when the waiter was last notified, at a lock that is busy, or when it became due, at one with the state shared; else
     *     zero
     */
    private record Turn(LockName name, AcquisitionId id, long token, String state, long since) {}

    @Override
    public void listen(ReconnectingListener listening) throws SQLException {
        try (Poll poll = dialect.poll(url, connections)) {
            Turns turns = new Turns(listening);
            do {
                poll.read(turns);
            } while (!listening.pause(poll.pauseMillis(turns.unchangedMillis())));
        }
    }

    /** Reads the turns, and notifies the waiters that had none last time. */
    private final class Turns implements Connections.Work<Boolean> {

        private final ReconnectingListener listening;
        private Set<Turn> last = Set.of();
        private boolean isConnected;
        private long changedAt = System.nanoTime();

        Turns(ReconnectingListener listening) {
            this.listening = listening;
        }

        long unchangedMillis() {
            return Duration.ofNanos(System.nanoTime() - changedAt).toMillis();
        }

        @Override
        public Boolean on(Connection connection) throws SQLException {
            Set<Turn> turns = read(connection);
            boolean isChanged = !turns.equals(last);
            if (isChanged) {
                changedAt = System.nanoTime();
            }
            if (!isConnected) {
                isConnected = true;
                listening.connected();
            } else if (isChanged) {
                turns.stream()
                        .filter(turn -> !last.contains(turn))
                        .forEach(turn -> listening.deliver(Notification.of(turn.name, turn.id)));
            }
            last = turns;
            return isChanged;
        }

        private Set<Turn> read(Connection connection) throws SQLException {
            List<LockName> names = waiters.names();
            Set<Turn> turns = new HashSet<>();
            for (int from = 0; from < names.size(); from += MAX_NAMES) {
                read(connection, names.subList(from, Math.min(from + MAX_NAMES, names.size())), turns);
            }
            return turns;
        }

        private void read(Connection connection, List<LockName> names, Set<Turn> turns) throws SQLException {
            Map<String, Object> parameters = new HashMap<>();
            parameters.put("namespace", dialect.toColumn(namespace.value()));
            parameters.put("time_to_live", WaiterRow.TIME_TO_LIVE);
            parameters.put("limit", 1);
            List<Map<String, Object>> rows = rows(names);
            List<LockName> shared = new ArrayList<>();
            try (PreparedStatement query = NamedStatements.Bound.prepare(
                            connection, List.of(statements.bind("find-turns", parameters, rows)));
                    ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    LockName name = new LockName(dialect.fromColumn(row, "name"));
                    String state = row.getString("state");
                    byte[] waiter = row.getBytes("waiter");
                    if (waiter != null) {
                        turns.add(new Turn(
                                name,
                                LockKey.fromColumn(waiter),
                                row.getLong("token"),
                                state,
                                row.getLong("promoted_at")));
                    }
                    if (state.equals(LockRow.SHARED)) {
                        shared.add(name);
                    }
                }
            }
            if (!shared.isEmpty()) {
                readDue(connection, shared, parameters, turns);
            }
        }

        /** Reads the waiters that are due at locks with the state shared. */
        private void readDue(
                Connection connection, List<LockName> names, Map<String, Object> parameters, Set<Turn> turns)
                throws SQLException {
            try (PreparedStatement query = NamedStatements.Bound.prepare(
                            connection, List.of(statements.bind("find-due-waiters", parameters, rows(names))));
                    ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    turns.add(new Turn(
                            new LockName(dialect.fromColumn(row, "name")),
                            LockKey.fromColumn(row.getBytes("id")),
                            0,
                            LockRow.SHARED,
                            row.getLong("due_at")));
                }
            }
        }

        private List<Map<String, Object>> rows(List<LockName> names) {
            return names.stream()
                    .<Map<String, Object>>map(name -> Map.of("name", dialect.toColumn(name.value())))
                    .toList();
        }
    }

    @Override
    public void stop() {
        // it never waits for longer than a pause or a poll
    }
}
