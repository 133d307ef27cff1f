package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The synchronous standbys, which confirm what is committed, if the server has any.
 *
 * <p>A wait for them can be cancelled, by an operator, or by a time-out of an application's pool. The server answers then as if
 * it were confirmed, with a warning. And a call that was given up here goes on waiting there, with a connection of the server
 * of its own, until a standby is back: connections would run out, of the application's, too. So after a call without an answer
 * it is looked how many of ours wait like that; where there are several, nothing more is sent.
 *
 * <p>Thread-safe.
 */
final class Standbys {

    /** Of all processes together, beside what each has under way when a standby goes. */
    private static final int MOST = 8;

    /** The statements begun so long ago are those that wait because there is no standby, not those that wait for its answer. */
    private static final String WAITING = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a"
            + " WHERE a.wait_event = 'SyncRep' AND a.usename = session_user AND a.query LIKE '%holdfast\\_%'"
            + " AND a.query_start < pg_catalog.clock_timestamp() - interval '1 second'";

    /** Where the server waits: the one word of its warning that is the same in every language. */
    private static final String ROUTINE = "SyncRepWaitForLSN";

    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong settled = new AtomicLong();

    /**
     * Asks for something that is answered once it is confirmed.
     *
     * @throws SQLException also if it was not sent, as too much of what was sent before waits for a standby
     */
    <T> T ask(Connections connections, Deadline deadline, Session.Call<T> call) throws SQLException {
        boolean foreign = connections.foreign();
        try {
            return connections.with(deadline, connection -> {
                long before = unanswered.get();
                if (settled.get() != before) {
                    admit(Session.call(connection, foreign, deadline, (own, millis) -> waiting(own)), before);
                }
                return Session.call(connection, foreign, deadline, call);
            });
        } catch (SQLException e) {
            if (!Failures.sparesConnection(e)) {
                unanswered.incrementAndGet();
            }
            throw e;
        }
    }

    private void admit(int waiting, long before) throws SQLException {
        if (waiting == 0) {
            settled.set(before);
        } else if (waiting >= MOST) {
            throw new SQLException(
                    waiting + " calls wait for a synchronous standby: no more are sent before one is back",
                    Failures.UNCONFIRMED);
        }
    }

    private static int waiting(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(WAITING)) {
            row.next();
            return row.getInt(1);
        }
    }

    /**
     * To be asked once a statement was answered: whether that is confirmed.
     *
     * @throws SQLException if it is not: a failover may undo it
     */
    static void ensureConfirmed(Statement statement) throws SQLException {
        for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
            if (isCancelledWait(each)) {
                throw new SQLException(
                        "the wait for a synchronous standby was cancelled, so that a failover may undo what was done",
                        Failures.UNCONFIRMED,
                        each);
            }
        }
    }

    /** Where the driver does not say where a warning comes from, any may be the one. */
    private static boolean isCancelledWait(SQLWarning warning) {
        String routine = routine(warning);
        return routine == null ? String.valueOf(warning.getSQLState()).startsWith("01") : routine.equals(ROUTINE);
    }

    /** JDBC has no word for it; the driver has one, but is the application's to bring: it is called by its name. */
    private static @Nullable String routine(SQLWarning warning) {
        try {
            Object message =
                    warning.getClass().getMethod("getServerErrorMessage").invoke(warning);
            return message == null
                    ? null
                    : (String) message.getClass().getMethod("getRoutine").invoke(message);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
