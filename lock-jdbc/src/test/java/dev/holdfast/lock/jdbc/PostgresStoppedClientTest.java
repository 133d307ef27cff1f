package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.StoppedClientContract;
import java.util.Properties;
import org.junit.jupiter.api.Tag;

/** Clients of PostgreSQL that are stopped. */
@Tag("first-build")
class PostgresStoppedClientTest extends StoppedClientContract {

    private final Postgres database = Postgres.withTables();

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
