package dev.holdfast.lock.cli;

import java.sql.SQLException;

/** On PostgreSQL. */
class PostgresOversightIT extends Oversight {

    @Override
    String store() throws SQLException {
        return PostgresRuns.newStore() + PATIENT;
    }
}
