package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.h2.H2Dialect;
import dev.holdfast.lock.jdbc.h2.H2Type;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import org.junit.jupiter.api.Tag;

/** {@link RowLockSemanticsTest} on H2. */
@Tag("second-build")
class H2SemanticsTest extends RowLockSemanticsTest {

    private static final RowDatabase DATABASE = H2Database.inMemory();

    @Override
    RowDatabase database() {
        return DATABASE;
    }

    @Override
    DatabaseType type() {
        return new H2Type();
    }

    @Override
    Dialect dialect() {
        return new H2Dialect(new JdbcUrl(DATABASE.settings().get("lock.jdbc.url")));
    }
}
