package dev.holdfast.lock.jdbc.pool;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;

/** Classifies the errors of one kind of database. Thread-safe. */
@FunctionalInterface
public interface ErrorClasses {

    /** Our own SQLSTATE: no driver accepts the URL. */
    String NO_DRIVER = "HF002";

    /** The meaning of an error. */
    ErrorClass classify(SQLException failure);

    /** The meaning by the standard's classes of SQLSTATE, for errors about which a database has nothing to add. */
    static ErrorClass byState(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null) {
            return failure instanceof SQLTimeoutException ? ErrorClass.OUTAGE : ErrorClass.OTHER;
        } else if (state.equals("40001")) {
            return ErrorClass.ROLLED_BACK;
        } else if (state.equals(NO_DRIVER) || state.startsWith("28") || state.startsWith("3D")) {
            return ErrorClass.WRONG_SETTING;
        } else if (state.equals("08003") || state.equals("08006") || state.equals("08S01")) {
            return ErrorClass.CONNECTION_LOST;
        }
        return state.startsWith("08") ? ErrorClass.OUTAGE : ErrorClass.OTHER;
    }
}
