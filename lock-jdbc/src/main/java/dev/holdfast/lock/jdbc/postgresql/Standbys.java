package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The synchronous standbys, which confirm what is committed, if the server has any.
 *
 * <p>A wait for them can be cancelled, by an operator, or by a time-out of an application's pool. The server answers then as if
 * it were confirmed, with a warning. And a call that was given up here goes on waiting there, with a connection of the server
 * of its own, until a standby is back: connections would run out, of the application's, too. So after a call without an answer
 * it is looked how many of ours have waited for longer than a call may take; where there are several, nothing more is sent.
 * Standbys confirm in the order of the commits: what was sent now would hardly be confirmed before those. In case it would all
 * the same, a call is let through now and then; once one is confirmed, no more are refused.
 *
 * <p>Thread-safe.
 */
final class Standbys {

    /** Of all processes together, beside what each has under way when a standby goes. */
    private static final int MOST = 8;

    /** From so many on no call is let through any more: as each process does that, connections would run out after all. */
    private static final int MOST_OF_ALL = 3 * MOST;

    /** From a call that is let through to the next. */
    private static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Shorter waits are those for a standby's answer, whatever time a call has. */
    private static final int LEAST_WAIT = 1_000;

    /** The statements begun so many seconds ago. */
    private static final String WAITING = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a"
            + " WHERE a.wait_event = 'SyncRep' AND a.usename = session_user AND a.query LIKE '%holdfast\\_%'"
            + " AND a.query_start < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => ?::pg_catalog.float8)";

    /** Where the server waits: the one word of its warning that is the same in every language. */
    private static final String ROUTINE = "SyncRepWaitForLSN";

    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong settled = new AtomicLong();
    private final AtomicLong nextTrial = new AtomicLong(System.nanoTime());

    /**
     * Asks for something that is answered once it is confirmed.
     *
     * @throws SQLException also if it was not sent, as too much of what was sent before waits for a standby
     */
    <T> T ask(Connections connections, Deadline deadline, Session.Call<T> call) throws SQLException {
        boolean foreign = connections.foreign();
        // A little less than the call has, as a statement is begun a little later than its call.
        int givenUp = Math.max(LEAST_WAIT, deadline.millisLeft() / 10 * 9);
        return connections.with(deadline, connection -> {
            long before = unanswered.get();
            if (settled.get() != before) {
                admit(Session.call(connection, foreign, deadline, (own, millis) -> waiting(own, givenUp)), before);
            }
            try {
                T result = Session.call(connection, foreign, deadline, call);
                if (call.hasWaited(result)) {
                    settled.set(before);
                }
                return result;
            } catch (SQLException e) {
                if (!Failures.sparesConnection(e)) {
                    unanswered.incrementAndGet();
                }
                throw e;
            }
        });
    }

    private void admit(int waiting, long before) throws SQLException {
        if (waiting == 0) {
            settled.set(before);
        } else if (waiting >= MOST_OF_ALL || (waiting >= MOST && !isTrial())) {
            throw new SQLException(
                    waiting + " calls wait for a synchronous standby: no more are sent before one is back",
                    Failures.UNCONFIRMED);
        }
    }

    private boolean isTrial() {
        long now = System.nanoTime();
        long next = nextTrial.get();
        return now - next >= 0 && nextTrial.compareAndSet(next, now + TRIAL_NANOS);
    }

    private static int waiting(Connection connection, int millis) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WAITING)) {
            statement.setDouble(1, millis / 1_000.0);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
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
