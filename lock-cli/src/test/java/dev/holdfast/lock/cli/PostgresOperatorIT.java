package dev.holdfast.lock.cli;

import java.sql.SQLException;

/** On PostgreSQL. */
class PostgresOperatorIT extends OperatorContract {

    @Override
    String store() throws SQLException {
        return TestStores.postgres();
    }
}
