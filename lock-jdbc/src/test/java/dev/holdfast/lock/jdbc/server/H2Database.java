package dev.holdfast.lock.jdbc.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** H2 in the memory of this process. */
public record H2Database(String url) implements RowDatabase {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    /** A new database, which stays until the process ends. */
    public static H2Database inMemory() {
        return new H2Database("jdbc:h2:mem:test" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1");
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("lock.jdbc.url", url, "lock.jdbc.username", "sa");
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url + ";LOCK_TIMEOUT=60000", "sa", "");
    }
}
