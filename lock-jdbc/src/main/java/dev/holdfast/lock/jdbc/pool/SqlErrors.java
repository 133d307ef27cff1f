package dev.holdfast.lock.jdbc.pool;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of the database's errors. PostgreSQL reports a SQLSTATE; SQLite reports its result code and no SQLSTATE.
 */
public final class SqlErrors {

    /** Deadlock and serialization failure: the server has rolled back everything. */
    private static final Set<String> ROLLED_BACK = Set.of("40P01", "40001");

    /** Our own: a synchronous standby has not confirmed a commit, or the call was not sent because earlier commits wait for one. */
    public static final String UNCONFIRMED = "HF004";

    /** The connection is intact: rolled back, lock wait or statement timed out, no privilege, not confirmed. */
    private static final Set<String> CONNECTION_INTACT =
            Set.of("40P01", "40001", "55P03", "57014", "42501", UNCONFIRMED);

    /** SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_NOTADB: the file cannot be used. */
    private static final Set<Integer> WRONG_FILE = Set.of(3, 8, 14, 26);

    /** SQLITE_BUSY: another process has locked the file. */
    private static final int BUSY = 5;

    /** Our own: no driver accepts the URL. */
    static final String NO_DRIVER = "HF002";

    private SqlErrors() {}

    /** Whether everything was rolled back, for certain, so that the same call may succeed now. */
    public static boolean isRolledBack(SQLException failure) {
        return failure.getSQLState() != null && ROLLED_BACK.contains(failure.getSQLState());
    }

    /** Whether a row stayed locked for too long; nothing was executed. */
    public static boolean isLockTimeout(SQLException failure) {
        return "55P03".equals(failure.getSQLState());
    }

    /** Whether another process has locked the SQLite file. */
    public static boolean isFileBusy(SQLException failure) {
        return failure.getSQLState() == null && failure.getErrorCode() == BUSY;
    }

    /** Whether the database did not reply, or not in time, so that the same call may succeed later. */
    public static boolean isOutage(SQLException failure) {
        String state = failure.getSQLState();
        return isFileBusy(failure)
                || isLockTimeout(failure)
                || UNCONFIRMED.equals(state)
                || (state != null
                        && (state.startsWith("08") || state.startsWith("57"))); // no connection; operators, time-outs
    }

    /** Whether an open connection was lost, or was closed because the server did not reply. */
    static boolean isConnectionLost(SQLException failure) {
        return "08003".equals(failure.getSQLState()) || "08006".equals(failure.getSQLState());
    }

    /** Whether the connection may be used again after this failure. */
    public static boolean leavesConnectionIntact(SQLException failure) {
        return isFileBusy(failure)
                || (failure.getSQLState() != null && CONNECTION_INTACT.contains(failure.getSQLState()));
    }

    /**
     * The exception for a store that could not be opened: a setting is wrong, or the database is unreachable.
     *
     * @param settings names the settings to check
     */
    public static LockException opening(JdbcUrl url, SQLException failure, String settings) {
        String message = "cannot open " + url + ": " + url.maskIn(String.valueOf(failure.getMessage()));
        SQLException cause = withoutSecrets(url, failure);
        return isSetting(failure)
                ? new LockConfigurationException(message + " (see " + settings + ")", cause)
                : new LockUnavailableException(message, cause);
    }

    /** The failure, or null if it contains a secret: a driver quotes a URL that it cannot parse. */
    private static @Nullable SQLException withoutSecrets(JdbcUrl url, SQLException failure) {
        return containsSecret(url, failure) ? null : failure;
    }

    /**
     * The exception for a call without a result.
     *
     * @param timeout of the call
     */
    public static LockUnavailableException unavailable(JdbcUrl url, SQLException failure, Duration timeout) {
        return new LockUnavailableException(
                "a call to " + url + ", with a timeout of " + timeout + ", failed: "
                        + url.maskIn(String.valueOf(failure.getMessage())),
                withoutSecrets(url, failure));
    }

    private static boolean isSetting(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null) {
            return WRONG_FILE.contains(failure.getErrorCode());
        }
        return state.startsWith("28") // authentication failed
                || state.startsWith("3D") // no such database
                || state.equals("42501") // no privilege
                || state.equals(NO_DRIVER)
                || (state.equals("08004")
                        && String.valueOf(failure.getMessage()).contains("password")); // none was set
    }

    private static boolean containsSecret(JdbcUrl url, Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            String message = String.valueOf(at.getMessage());
            if (!url.maskIn(message).equals(message)) {
                return true;
            }
        }
        return false;
    }
}
