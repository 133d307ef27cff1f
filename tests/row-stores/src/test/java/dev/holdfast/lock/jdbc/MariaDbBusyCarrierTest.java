package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.BusyCarrierContract;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import java.util.Properties;

/** Clients of MariaDB whose only carrier is busy. */
class MariaDbBusyCarrierTest extends BusyCarrierContract {

    private final MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
