package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.KilledProcessesContract;
import java.util.Properties;
import org.junit.jupiter.api.Tag;

/** Killed and stopped processes on PostgreSQL; in each build as the fallback of a composite. */
@Tag("long")
class PostgresKilledProcessesTest extends KilledProcessesContract {

    private final Postgres database = Postgres.withTables();

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
