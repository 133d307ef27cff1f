package dev.holdfast.lock.jdbc.mysql;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import java.sql.SQLException;

/** The meaning of the error codes of MariaDB and MySQL. */
final class MySqlErrors implements ErrorClasses {

    static final ErrorClasses INSTANCE = new MySqlErrors();

    private MySqlErrors() {}

    @Override
    public ErrorClass classify(SQLException failure) {
        return switch (failure.getErrorCode()) {
            // Deadlock, also as a cluster reports a conflict; in a group; a row changed since the snapshot. The
            // transaction is over.
            case 1213, 3101, 1020 -> ErrorClass.ROLLED_BACK;
            case 1205 ->
                ErrorClass.LOCK_TIMEOUT; // the statement is over, the transaction is not: the caller rolls it back
            case 1317, 1969, 3024 -> ErrorClass.CANCELLED;
            case 1142, 1143, 1227, 1370 -> ErrorClass.NO_PRIVILEGE;
            case 1044, 1045, 1046, 1049, 1698 -> ErrorClass.WRONG_SETTING; // no such user or database
            case 1290, 1792, 1836 ->
                ErrorClass.OUTAGE; // read-only, as after a failover: another connection may reach the primary
            default -> ErrorClasses.byState(failure);
        };
    }
}
