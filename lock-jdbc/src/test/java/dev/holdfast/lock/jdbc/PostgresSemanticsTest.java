package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** {@link SemanticsTest} on PostgreSQL. */
class PostgresSemanticsTest extends SemanticsTest {

    private static final PostgresServer SERVER = PostgresServer.shared();
    private static String url;

    private LockStore store;

    @BeforeAll
    static void makeDatabase() throws SQLException {
        url = SERVER.newDatabase();
    }

    @BeforeEach
    void open() throws SQLException {
        store = Opened.store(Map.of(
                "lock.jdbc.url", url,
                "lock.jdbc.username", SERVER.username(),
                "lock.jdbc.password", SERVER.password()));
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "DELETE FROM holdfast_lock; DELETE FROM holdfast_released; UPDATE holdfast_floor SET token = 0");
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Override
    LockStore store() {
        return store;
    }

    @Override
    Connection connection() throws SQLException {
        return SERVER.connect(url);
    }

    @Override
    void pass(Duration time) throws SQLException {
        String interval = time.toMillis() + " * interval '1 millisecond'";
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE holdfast_lock SET since = since - " + interval + ", until = until - " + interval);
            statement.executeUpdate("UPDATE holdfast_released SET until = until - " + interval);
        }
    }

    @Override
    void letPrune() {
        store.close();
        store = Opened.store(Map.of(
                "lock.jdbc.url", url,
                "lock.jdbc.username", SERVER.username(),
                "lock.jdbc.password", SERVER.password()));
    }
}
