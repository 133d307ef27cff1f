package dev.holdfast.lock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.contract.FilledPoolContract;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** A pool of HikariCP that the application fills. */
abstract class HikariFilledPool extends FilledPoolContract {

    private static final int SIZE = 4;

    private HikariDataSource pool;

    /** The settings of a new database. */
    abstract Map<String, String> settings();

    @Override
    protected LockStore store() {
        HikariConfig config = ApplicationPool.of(settings());
        config.setMaximumPoolSize(SIZE);
        pool = new HikariDataSource(config);
        return Opened.on(pool);
    }

    @Override
    protected AutoCloseable fill() throws Exception {
        List<Connection> connections = new ArrayList<>();
        while (connections.size() < SIZE) {
            connections.add(pool.getConnection());
        }
        return () -> {
            for (Connection each : connections) {
                each.close();
            }
        };
    }

    @AfterEach
    void close() {
        pool.close();
    }
}
