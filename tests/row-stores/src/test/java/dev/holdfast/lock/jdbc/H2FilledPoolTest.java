package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.H2Database;
import java.util.Map;

/** A filled pool of connections to H2. */
class H2FilledPoolTest extends HikariFilledPool {

    @Override
    Map<String, String> settings() {
        return H2Database.inMemory().settings();
    }
}
