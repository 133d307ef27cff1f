package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.support.Deadline;
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
 * Limits the number of calls that wait for synchronous standbys, which confirm commits if the server has any.
 *
 * <p>A commit's wait for them can be cancelled, by an operator or by a timeout of an application's pool. The server then replies
 * as if the commit were confirmed, with a warning. A call that timed out here goes on waiting in the server, with a connection of
 * the server, until a standby is back: the server would run out of connections, and so would the application. So after a call
 * without a reply the next one first counts how many of Holdfast's calls have waited for longer than a call may take; if there are
 * several, nothing more is sent. Standbys confirm in the order of the commits, so a new call would hardly be confirmed before
 * those. As it may be all the same, one call is admitted now and then; once one is confirmed, none is refused any more.
 *
 * <p>Thread-safe.
 */
final class StandbyGuard {

    /** The limit for all processes together, in addition to the calls in flight when a standby fails. */
    private static final int MAX_WAITING = 8;

    /** From this number on, not even a probe is admitted: each process sends probes, and connections would run out after all. */
    private static final int MAX_WAITING_WITH_PROBES = 3 * MAX_WAITING;

    private static final long PROBE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Shorter waits are normal replies of a standby, however little time a call has. */
    private static final int MIN_WAIT_MILLIS = 1_000;

    /** Counts the waiting statements that began more than a given number of seconds ago. */
    private static final String COUNT_WAITING = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity a"
            + " WHERE a.wait_event = 'SyncRep' AND a.usename = session_user AND a.query LIKE '%holdfast\\_%'"
            + " AND a.query_start < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => ?::pg_catalog.float8)";

    /** The routine of the server that waits: the only word of its warning that is the same in every language. */
    private static final String ROUTINE = "SyncRepWaitForLSN";

    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong confirmed = new AtomicLong();
    private final AtomicLong nextProbe = new AtomicLong(System.nanoTime());

    /**
     * Admits a call that may have to wait for standbys.
     *
     * @return what to pass to {@link #confirm} once the call is confirmed
     * @throws SQLException if too many earlier calls wait
     */
    long admit(Connection connection, Deadline deadline) throws SQLException {
        long admission = unanswered.get();
        if (confirmed.get() != admission) {
            // A little less than the call has, as its statement begins a little later.
            int givenUp = Math.max(MIN_WAIT_MILLIS, deadline.millisLeft() / 10 * 9);
            Connections.limitSilence(connection, deadline);
            int waiting = countWaiting(connection, givenUp);
            if (waiting == 0) {
                confirmed.set(admission);
            } else if (waiting >= MAX_WAITING_WITH_PROBES || (waiting >= MAX_WAITING && !startProbe())) {
                throw new SQLException(
                        waiting + " calls wait for a synchronous standby: no more are sent before one is back",
                        PostgreSqlErrors.UNCONFIRMED);
            }
        }
        return admission;
    }

    /** Notes that a call was confirmed. */
    void confirm(long admission) {
        confirmed.set(admission);
    }

    /** Notes that a call got no reply. */
    void countUnanswered() {
        unanswered.incrementAndGet();
    }

    private boolean startProbe() {
        long now = System.nanoTime();
        long next = nextProbe.get();
        return now - next >= 0 && nextProbe.compareAndSet(next, now + PROBE_INTERVAL_NANOS);
    }

    private static int countWaiting(Connection connection, int millis) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT_WAITING)) {
            statement.setDouble(1, millis / 1_000.0);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /**
     * Checks, after the server replied to a statement, that its commit is confirmed.
     *
     * @throws SQLException if it is not: a failover may undo it
     */
    static void ensureConfirmed(Statement statement) throws SQLException {
        for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
            if (isCancelledWait(each)) {
                throw new SQLException(
                        "the wait for a synchronous standby was cancelled, so that a failover may undo the commit",
                        PostgreSqlErrors.UNCONFIRMED,
                        each);
            }
        }
    }

    /** If the driver does not report where a warning comes from, any warning may be the one. */
    private static boolean isCancelledWait(SQLWarning warning) {
        String routine = routine(warning);
        return routine == null ? String.valueOf(warning.getSQLState()).startsWith("01") : routine.equals(ROUTINE);
    }

    /** Uses reflection, as JDBC has no method for this, and the application provides the driver. */
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
