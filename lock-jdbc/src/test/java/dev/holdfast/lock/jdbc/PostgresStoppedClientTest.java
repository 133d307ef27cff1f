package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.StoppedClientContract;
import java.util.Properties;

/** Clients of PostgreSQL that are stopped. */
class PostgresStoppedClientTest extends StoppedClientContract {

    private final Postgres database = Postgres.withTables();

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
