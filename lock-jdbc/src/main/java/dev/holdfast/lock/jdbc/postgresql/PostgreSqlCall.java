package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A call in one round trip and a transaction of its own. It takes two more round trips if the connection's isolation is not READ
 * COMMITTED or its transactions are read-only, and one more to send notifications. Changes no setting of the session for longer
 * than a transaction: behind a pooler the next transaction may be another client's.
 *
 * <p>A client that stops between the round trips of a transaction keeps rows locked for as long as the call may take, and for 15
 * seconds at most.
 */
abstract class PostgreSqlCall<T> implements Connections.Work<T> {

    /** Raised by the functions for any isolation but READ COMMITTED. */
    private static final String WRONG_ISOLATION = "HF001";

    private static final String READ_ONLY = "25006";

    /** The longest wait of the server for the next statement of a transaction. */
    private static final int MAX_IDLE_MILLIS = 15_000;

    private final boolean areApplications;
    private final Deadline deadline;
    private final @Nullable StandbyGuard standbys;

    /**
     * @param connections on which the call is made
     * @param deadline until which the server may stay silent; then the connection is closed
     * @param standbys that may have to confirm the commit; null for a call that only reads
     */
    PostgreSqlCall(Connections connections, Deadline deadline, @Nullable StandbyGuard standbys) {
        this.areApplications = connections.areApplications();
        this.deadline = deadline;
        this.standbys = standbys;
    }

    final Deadline deadline() {
        return deadline;
    }

    /** Sends the statement. */
    abstract T execute(Connection connection, int millisLeft) throws SQLException;

    /** Whether to send the statement once more, now that it failed in this way and was rolled back. */
    boolean isRepeatedAfter(SQLException failure) {
        return false;
    }

    /** Runs once the statement is committed, though synchronous standbys may not have confirmed it. */
    void afterCommit(Connection connection, Deadline callDeadline) {}

    /** Whether the server has sent this result only after the synchronous standbys, if it has any, confirmed the commit. */
    boolean isConfirmed(T result) {
        return false;
    }

    @Override
    public final T on(Connection connection) throws SQLException {
        if (!areApplications) { // the store's own pool resets the timeout
            return executeInTime(connection);
        }
        int timeout = connection.getNetworkTimeout();
        return Restoration.after(
                this::executeInTime, connection, () -> connection.setNetworkTimeout(Runnable::run, timeout));
    }

    private T executeInTime(Connection connection) throws SQLException {
        long admission = standbys == null ? 0 : standbys.admit(connection, deadline);
        int millis = Connections.limitSilence(connection, deadline);
        try {
            T result;
            try {
                result = executeInAnyIsolation(connection, millis);
            } catch (SQLException e) {
                if (!isRepeatedAfter(e)) {
                    throw e;
                }
                result = executeInAnyIsolation(connection, millis);
            }
            afterCommit(connection, deadline);
            if (standbys != null && isConfirmed(result)) {
                standbys.confirm(admission);
            }
            return result;
        } catch (SQLException e) {
            if (PostgreSqlErrors.UNCONFIRMED.equals(e.getSQLState())) {
                afterCommit(connection, deadline); // the commit is visible to others
            }
            if (standbys != null && !PostgreSqlErrors.INSTANCE.classify(e).leavesConnectionIntact()) {
                standbys.countUnanswered();
            }
            throw e;
        }
    }

    private T executeInAnyIsolation(Connection connection, int millis) throws SQLException {
        try {
            return execute(connection, millis);
        } catch (SQLException e) {
            if (!WRONG_ISOLATION.equals(e.getSQLState()) && !READ_ONLY.equals(e.getSQLState())) {
                throw e;
            }
            return executeInReadCommitted(connection, millis, e);
        }
    }

    private T executeInReadCommitted(Connection connection, int millis, SQLException reason) throws SQLException {
        connection.setAutoCommit(false);
        return Restoration.after(same -> commitInReadCommitted(same, millis, reason), connection, () -> {
            connection.rollback(); // if it was not committed
            connection.setAutoCommit(true);
        });
    }

    private T commitInReadCommitted(Connection connection, int millis, SQLException reason) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;"
                        + " SET LOCAL idle_in_transaction_session_timeout = " + Math.min(millis, MAX_IDLE_MILLIS));
            } catch (SQLException e) {
                reason.addSuppressed(e); // a standby allows neither
                throw reason;
            }
            T result = execute(connection, millis);
            statement.execute("COMMIT");
            StandbyGuard.ensureConfirmed(statement);
            return result;
        }
    }
}
