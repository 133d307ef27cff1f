package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.Database;
import java.time.Duration;
import java.time.InstantSource;

/** SQLite with a test's clock. */
public final class SteppedSqlite {

    private SteppedSqlite() {}

    public static Database on(JdbcUrl url, InstantSource clock) {
        return new Sqlite(url, clock, Duration.ofMinutes(1));
    }
}
