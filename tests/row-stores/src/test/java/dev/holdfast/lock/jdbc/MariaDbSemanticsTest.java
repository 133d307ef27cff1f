package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.mysql.MySqlDialect;
import dev.holdfast.lock.jdbc.mysql.MySqlType;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** {@link RowLockSemanticsTest} on MariaDB. */
@Tag("second-build")
class MariaDbSemanticsTest extends RowLockSemanticsTest {

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
}
