package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.jdbc.server.SqliteDatabase;
import dev.holdfast.lock.jdbc.sqlite.SqliteDialect;
import dev.holdfast.lock.jdbc.sqlite.SqliteType;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** {@link RowStoreSemanticsTest} on SQLite. */
@Tag("first-build")
class SqliteSemanticsTest extends RowStoreSemanticsTest {

    @TempDir
    Path directory;

    @Override
    RowDatabase database() {
        return SqliteDatabase.in(directory);
    }

    @Override
    DatabaseType type() {
        return new SqliteType();
    }

    @Override
    Dialect dialect() {
        return new SqliteDialect(new JdbcUrl(SqliteDatabase.in(directory).url()));
    }

    /** Names are texts. */
    @Override
    String literal(String name) {
        return "'" + name + "'";
    }
}
