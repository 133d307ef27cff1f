package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import java.sql.SQLException;

/** The meaning of SQLite's result codes: it reports no SQLSTATE. */
final class SqliteErrors implements ErrorClasses {

    static final ErrorClasses INSTANCE = new SqliteErrors();

    private SqliteErrors() {}

    @Override
    public ErrorClass classify(SQLException failure) {
        if (failure.getSQLState() != null) {
            return ErrorClasses.byState(failure);
        }
        return switch (failure.getErrorCode()) {
            case 5 -> ErrorClass.DATABASE_BUSY; // SQLITE_BUSY: another process has locked the file
            // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_NOTADB: the file cannot be used
            case 3, 8, 14, 26 -> ErrorClass.WRONG_SETTING;
            default -> ErrorClasses.byState(failure);
        };
    }
}
