package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** A filled pool of connections to MariaDB. */
@Tag("second-build")
class MariaDbFilledPoolTest extends HikariFilledPool {

    @Override
    Map<String, String> settings() {
        return MariaDbDatabase.of(MariaDbServer.shared()).settings();
    }
}
