package dev.holdfast.lock.bench.peer;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The differences in the SQL that the alternatives send to each database. */
enum SqlProduct {
    POSTGRESQL(
            "TIMESTAMP",
            "SELECT pg_advisory_lock(hashtextextended(?, 0))",
            "SELECT pg_advisory_unlock(hashtextextended(?, 0))"),
    MARIADB("DATETIME(6)", "SELECT GET_LOCK(SHA2(?, 256), 600)", "SELECT RELEASE_LOCK(SHA2(?, 256))");

    /** The type of an instant. */
    final String instant;

    /** A statement that waits for a lock of the session, by its name. */
    final String lock;

    /** A statement that releases it, and returns whether the session had it. */
    final String unlock;

    SqlProduct(String instant, String lock, String unlock) {
        this.instant = instant;
        this.lock = lock;
        this.unlock = unlock;
    }

    /** An insertion that does nothing if the row exists. */
    String ifAbsent(String insert) {
        return this == POSTGRESQL
                ? insert + " ON CONFLICT DO NOTHING"
                : insert.replaceFirst("INSERT INTO", "INSERT IGNORE INTO");
    }

    /** Creates a table unless it exists, even if another process does the same at the same time. */
    void createTable(DataSource database, String definition) throws SQLException {
        // PostgreSQL: IF NOT EXISTS alone fails if two sessions create the table at once. Statements sent together are
        // one transaction.
        String alone = this == POSTGRESQL ? "SELECT pg_advisory_xact_lock(0, 0); " : "";
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(alone + "CREATE TABLE IF NOT EXISTS " + definition);
        }
    }
}
