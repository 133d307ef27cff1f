package dev.holdfast.lock.jdbc;

import java.util.Map;

/** A filled pool of connections to PostgreSQL. */
class PostgresFilledPoolTest extends HikariFilledPool {

    @Override
    Map<String, String> settings() {
        return Postgres.withTables().settings();
    }
}
