package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The single statements, inside a transaction that somebody else began. */
final class Statements {

    private static final String ROW = text("row.sql");
    private static final String REMEMBERED = text("remembered.sql");
    private static final String FLOOR = text("floor.sql");
    private static final String GRANT = text("grant.sql");
    private static final String RENEW = text("renew.sql");
    private static final String RELEASE = text("release.sql");
    private static final String REMEMBER = text("remember.sql");
    private static final String PROMOTE = text("promote.sql");
    private static final String PROMOTE_BUSY = text("promote-busy.sql");
    private static final String FIRST = text("first.sql");
    private static final String FIRST_LIVING = text("first-living.sql");
    private static final String TICKET = text("ticket.sql");
    private static final String ENTER = text("enter.sql");
    private static final String REFRESH = text("refresh.sql");
    private static final String BEFORE = text("before.sql");
    private static final String LEAVE = text("leave.sql");
    private static final String DROP_QUEUE = text("drop-queue.sql");
    private static final String PRUNE_LOCKS = text("prune-locks.sql");
    private static final String PRUNE_WAITERS = text("prune-waiters.sql");
    private static final String RAISE_FLOOR = text("raise-floor.sql");
    private static final String PRUNE_RELEASED = text("prune-released.sql");

    /** Beyond these {@link dev.holdfast.lock.spi.QueueTimes#askAgain} makes no difference. */
    private static final int ENOUGH_BEFORE = 4;

    /** After this long nobody comes back for its place. */
    private static final long LONG_DEAD = 4 * Ticket.TIME;

    private final Connection connection;
    private final Namespace namespace;

    Statements(Connection connection, Namespace namespace) {
        this.connection = connection;
        this.namespace = namespace;
    }

    private static String text(String name) {
        return Scripts.read(Statements.class, name);
    }

    Row row(String name) throws SQLException {
        try (PreparedStatement statement = prepare(ROW, namespace.value(), name);
                ResultSet found = statement.executeQuery()) {
            return found.next()
                    ? new Row(
                            found.getLong("token"),
                            found.getBytes("id"),
                            found.getLong("since"),
                            found.getLong("until"),
                            found.getString("state"),
                            found.getLong("promoted"))
                    : Row.NONE;
        }
    }

    boolean isRemembered(String name, byte[] id, long now) throws SQLException {
        try (PreparedStatement statement = prepare(REMEMBERED, namespace.value(), name, id, now);
                ResultSet found = statement.executeQuery()) {
            return found.next();
        }
    }

    long floor() throws SQLException {
        return number(FLOOR);
    }

    void grant(String name, long token, byte[] id, String owner, long since, long until) throws SQLException {
        update(GRANT, namespace.value(), name, token, id, owner, since, until);
    }

    void renew(String name, long until) throws SQLException {
        update(RENEW, until, namespace.value(), name);
    }

    void release(String name, long until, String state) throws SQLException {
        update(RELEASE, until, state, namespace.value(), name);
    }

    void remember(String name, byte[] id, long until) throws SQLException {
        update(REMEMBER, namespace.value(), name, id, until);
    }

    void promote(String name, long since, long now) throws SQLException {
        update(PROMOTE, since, now, namespace.value(), name);
    }

    void promoteBusy(String name, long since) throws SQLException {
        update(PROMOTE_BUSY, since, namespace.value(), name);
    }

    @Nullable
    Ticket first(String name) throws SQLException {
        return ticket(prepare(FIRST, namespace.value(), name));
    }

    @Nullable
    Ticket firstLiving(String name, long now) throws SQLException {
        return ticket(prepare(FIRST_LIVING, namespace.value(), name, now - Ticket.TIME, now));
    }

    @Nullable
    Ticket ticket(String name, byte[] id) throws SQLException {
        return ticket(prepare(TICKET, namespace.value(), name, id));
    }

    private static @Nullable Ticket ticket(PreparedStatement question) throws SQLException {
        try (question;
                ResultSet found = question.executeQuery()) {
            return found.next()
                    ? new Ticket(found.getBytes("id"), found.getLong("place"), found.getLong("seen"))
                    : null;
        }
    }

    /** Takes the last place, and tells which that is. */
    long enter(String name, byte[] id, String owner, long seen) throws SQLException {
        return number(ENTER, namespace.value(), name, id, owner, seen);
    }

    void refresh(String name, byte[] id, long seen) throws SQLException {
        update(REFRESH, seen, namespace.value(), name, id);
    }

    /** How many of the living wait before this place; not counted beyond what matters. */
    int before(String name, long place, long now) throws SQLException {
        return (int) number(BEFORE, namespace.value(), name, place, now - Ticket.TIME, now, ENOUGH_BEFORE);
    }

    void leave(String name, byte[] id) throws SQLException {
        update(LEAVE, namespace.value(), name, id);
    }

    void dropQueue(String name) throws SQLException {
        update(DROP_QUEUE, namespace.value(), name);
    }

    /** Removes a few rows that were idle before, whatever their namespace, and keeps what has to be kept of them. */
    void prune(long idleBefore, long now) throws SQLException {
        long greatest = 0;
        List<String[]> removed = new ArrayList<>();
        try (PreparedStatement statement = prepare(PRUNE_LOCKS, idleBefore, now - Ticket.TIME, now);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                removed.add(new String[] {rows.getString(1), rows.getString(2)});
                greatest = Math.max(greatest, rows.getLong(3));
            }
        }
        for (String[] lock : removed) {
            update(DROP_QUEUE, lock[0], lock[1]); // who is in it is dead
        }
        if (greatest > 0) {
            update(RAISE_FLOOR, greatest);
        }
        update(PRUNE_WAITERS, now - LONG_DEAD, now);
        update(PRUNE_RELEASED, now);
    }

    private long number(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet found = statement.executeQuery()) {
            found.next();
            return found.getLong(1);
        }
    }

    private void update(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int at = 0; at < parameters.length; at++) {
            statement.setObject(at + 1, parameters[at]);
        }
        return statement;
    }
}
