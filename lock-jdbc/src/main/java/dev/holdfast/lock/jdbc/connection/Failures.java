package dev.holdfast.lock.jdbc.connection;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockUnavailableException;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a failure of the database means for us. PostgreSQL tells by SQLSTATE, SQLite by its result code (and gives no
 * SQLSTATE at all).
 */
public final class Failures {

    /** Deadlock and serialization failure: the server undid everything, for certain. */
    private static final Set<String> UNDONE = Set.of("40P01", "40001");

    /** Our own: a standby that is to confirm what was done has not, or is not asked, as it does not confirm what was before. */
    public static final String UNCONFIRMED = "HF004";

    /** The connection is as it was. Undone, lock wait and statement given up, no privilege, not confirmed. */
    private static final Set<String> SESSION_LIVES = Set.of("40P01", "40001", "55P03", "57014", "42501", UNCONFIRMED);

    /** SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_NOTADB: the file is not what it has to be. */
    private static final Set<Integer> WRONG_FILE = Set.of(3, 8, 14, 26);

    /** SQLITE_BUSY: another process has the file. */
    private static final int BUSY = 5;

    /** Our own: no driver understands the URL. */
    static final String NO_DRIVER = "HF002";

    private Failures() {}

    /** Whether nothing was carried out, for certain, and the same call may well succeed now. */
    public static boolean isUndone(SQLException failure) {
        return failure.getSQLState() != null && UNDONE.contains(failure.getSQLState());
    }

    /** Whether somebody keeps a row locked for too long; nothing was carried out. */
    public static boolean isBlockedRow(SQLException failure) {
        return "55P03".equals(failure.getSQLState());
    }

    /** Whether another process has the SQLite file. */
    public static boolean isBusyFile(SQLException failure) {
        return failure.getSQLState() == null && failure.getErrorCode() == BUSY;
    }

    /** Whether the database did not answer, or not in time, so that the same may well succeed later. */
    public static boolean isOutage(SQLException failure) {
        String state = failure.getSQLState();
        return isBusyFile(failure)
                || isBlockedRow(failure)
                || UNCONFIRMED.equals(state)
                || (state != null
                        && (state.startsWith("08") || state.startsWith("57"))); // no connection; operators, time-outs
    }

    /** Whether there was a connection, which broke, or was closed as nothing more came of it. */
    static boolean isBrokenOff(SQLException failure) {
        return "08003".equals(failure.getSQLState()) || "08006".equals(failure.getSQLState());
    }

    /** Whether the connection may be used again after this failure. */
    public static boolean sparesConnection(SQLException failure) {
        return isBusyFile(failure) || (failure.getSQLState() != null && SESSION_LIVES.contains(failure.getSQLState()));
    }

    /**
     * What to throw when a store could not be opened: the settings are wrong, or the database is out of reach.
     *
     * @param settings where they are
     */
    public static LockException opening(JdbcUrl url, SQLException failure, String settings) {
        String message = "cannot open " + url + ": " + url.maskIn(String.valueOf(failure.getMessage()));
        SQLException cause = withoutSecrets(url, failure);
        return isSetting(failure)
                ? new LockConfigurationException(message + " (see " + settings + ")", cause)
                : new LockUnavailableException(message, cause);
    }

    /** A driver that cannot read a URL quotes it; then the cause would give away what the message masks: null. */
    public static @Nullable SQLException withoutSecrets(JdbcUrl url, SQLException failure) {
        return tellsSecret(url, failure) ? null : failure;
    }

    private static boolean isSetting(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null) {
            return WRONG_FILE.contains(failure.getErrorCode());
        }
        return state.startsWith("28") // not let in
                || state.startsWith("3D") // no such database
                || state.equals("42501") // no privilege
                || state.equals(NO_DRIVER)
                || (state.equals("08004")
                        && String.valueOf(failure.getMessage()).contains("password")); // none was given
    }

    private static boolean tellsSecret(JdbcUrl url, Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            String message = String.valueOf(at.getMessage());
            if (!url.maskIn(message).equals(message)) {
                return true;
            }
        }
        return false;
    }
}
