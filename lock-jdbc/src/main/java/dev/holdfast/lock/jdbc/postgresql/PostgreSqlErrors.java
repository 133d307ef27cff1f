package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import java.sql.SQLException;
import java.util.List;

/** The meaning of PostgreSQL's SQLSTATEs. */
public final class PostgreSqlErrors implements ErrorClasses {

    static final ErrorClasses INSTANCE = new PostgreSqlErrors();

    /** Our own: a synchronous standby has not confirmed a commit, or the call was not sent because earlier commits wait for one. */
    static final String UNCONFIRMED = "HF004";

    /**
     * The messages with which PgBouncer refuses a client for good. It has one SQLSTATE for everything, even for a server that
     * is down.
     */
    private static final List<String> REFUSALS = List.of(
            "password authentication failed", "unsupported startup parameter", "no such database", "no such user");

    private PostgreSqlErrors() {}

    @Override
    public ErrorClass classify(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return switch (state) {
            case "40P01" -> ErrorClass.ROLLED_BACK;
            case "55P03" -> ErrorClass.LOCK_TIMEOUT;
            case "57014" -> ErrorClass.CANCELLED;
            case "42501" -> ErrorClass.NO_PRIVILEGE;
            case UNCONFIRMED -> ErrorClass.UNCONFIRMED;
            case "08004" -> // none was set
                message(failure).contains("password") ? ErrorClass.WRONG_SETTING : ErrorClass.OUTAGE;
            case "08P01" ->
                REFUSALS.stream().anyMatch(message(failure)::contains)
                        ? ErrorClass.WRONG_SETTING
                        : ErrorClasses.byState(failure);
            default -> state.startsWith("57") ? ErrorClass.OUTAGE : ErrorClasses.byState(failure); // operators
        };
    }

    private static String message(SQLException failure) {
        return String.valueOf(failure.getMessage());
    }
}
