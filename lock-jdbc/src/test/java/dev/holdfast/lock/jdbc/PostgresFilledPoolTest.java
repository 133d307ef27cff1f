package dev.holdfast.lock.jdbc;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** A filled pool of connections to PostgreSQL. */
@Tag("second-build")
class PostgresFilledPoolTest extends HikariFilledPool {

    @Override
    Map<String, String> settings() {
        return Postgres.withTables().settings();
    }
}
