package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.StoppedClientContract;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import java.util.Properties;
import org.junit.jupiter.api.Tag;

/** Clients of MariaDB that are stopped. */
@Tag("second-build")
class MariaDbStoppedClientTest extends StoppedClientContract {

    private final MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
