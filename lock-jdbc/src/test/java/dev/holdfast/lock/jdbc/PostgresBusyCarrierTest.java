package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.BusyCarrierContract;
import java.util.Properties;

/** Clients of PostgreSQL whose only carrier is busy. */
class PostgresBusyCarrierTest extends BusyCarrierContract {

    private final Postgres database = Postgres.withTables();

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
