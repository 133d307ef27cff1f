package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.mysql.MySqlDialect;
import dev.holdfast.lock.jdbc.mysql.MySqlType;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.schema.DatabaseType;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import org.junit.jupiter.api.BeforeAll;

/** {@link RowStoreSemanticsTest} on MariaDB. */
class MariaDbSemanticsTest extends RowStoreSemanticsTest {

    private static RowDatabase database;

    @BeforeAll
    static void makeDatabase() {
        database = MariaDbDatabase.of(MariaDbServer.shared());
    }

    @Override
    RowDatabase database() {
        return database;
    }

    @Override
    DatabaseType type() {
        return new MySqlType();
    }

    @Override
    Dialect dialect() {
        return new MySqlDialect(true);
    }

    @Override
    String countBlocked() {
        // Not innodb_trx: it shows the same again to each query within 0.1 s of the last one.
        return "SELECT count(*) FROM information_schema.processlist"
                + " WHERE id <> CONNECTION_ID() AND info LIKE '%raced%' AND info LIKE '%FOR UPDATE%'";
    }
}
