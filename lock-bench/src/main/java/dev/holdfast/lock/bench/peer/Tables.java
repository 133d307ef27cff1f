package dev.holdfast.lock.bench.peer;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What a peer needs in the database before it is opened. */
final class Tables {

    private Tables() {}

    /** @param definition of a table, which may be there already, or be made by another process at the same time */
    static void create(DataSource database, String definition) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            // IF NOT EXISTS alone fails where two make the same table at once. Statements sent together are one
            // transaction.
            statement.execute("SELECT pg_advisory_xact_lock(0, 0); CREATE TABLE IF NOT EXISTS " + definition);
        }
    }
}
