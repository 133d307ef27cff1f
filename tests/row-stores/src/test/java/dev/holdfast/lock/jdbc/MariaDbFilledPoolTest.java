package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import java.util.Map;

/** A filled pool of connections to MariaDB. */
class MariaDbFilledPoolTest extends HikariFilledPool {

    @Override
    Map<String, String> settings() {
        return MariaDbDatabase.of(MariaDbServer.shared()).settings();
    }
}
