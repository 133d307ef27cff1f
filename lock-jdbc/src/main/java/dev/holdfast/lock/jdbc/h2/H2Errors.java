package dev.holdfast.lock.jdbc.h2;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import java.sql.SQLException;

/** The meaning of H2's error codes. */
final class H2Errors implements ErrorClasses {

    static final ErrorClasses INSTANCE = new H2Errors();

    private H2Errors() {}

    @Override
    public ErrorClass classify(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 40001, 90131 -> ErrorClass.ROLLED_BACK; // deadlock; a row that another transaction changed meanwhile
            case 50000 -> isRaceOfSessions(failure) ? ErrorClass.ROLLED_BACK : ErrorClasses.byState(failure);
            case 50200 -> ErrorClass.LOCK_TIMEOUT;
            case 57014 -> ErrorClass.CANCELLED;
            case 90096, 90040 -> ErrorClass.NO_PRIVILEGE;
            case 90067, 90007, 90098, 90121 -> ErrorClass.CONNECTION_LOST; // broken, closed, database closed or closing
            case 90020, 90013, 90146, 90149 ->
                ErrorClass.WRONG_SETTING; // file in use by another process; no such database
            default -> ErrorClasses.byState(failure);
        };
    }

    /**
     * H2's table of sessions, by which a transaction reads the clock, fails if another session ends its transaction at that moment
     * (issue 4352 of H2, fixed after 2.4.240). Nothing was committed.
     */
    private static boolean isRaceOfSessions(SQLException failure) {
        return String.valueOf(failure.getMessage()).contains("this.transaction");
    }
}
