package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.KilledProcessesContract;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import java.util.Properties;
import org.junit.jupiter.api.Tag;

/** Killed and stopped processes on MariaDB. */
@Tag("second-build")
class MariaDbKilledProcessesTest extends KilledProcessesContract {

    private final MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(database.settings("lock.provider", "jdbc"));
        return settings;
    }
}
