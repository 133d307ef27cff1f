package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** {@link SemanticsTest} on SQLite. */
class SqliteSemanticsTest extends SemanticsTest {

    @TempDir
    Path directory;

    private LockStore store;

    @BeforeEach
    void open() {
        store = Opened.sqlite(directory.resolve("locks.db"));
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
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("locks.db"));
    }

    @Override
    void pass(Duration time) throws SQLException {
        long micros = time.toNanos() / 1_000;
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE holdfast_lock SET since = since - " + micros + ", until = until - " + micros);
            statement.executeUpdate("UPDATE holdfast_released SET until = until - " + micros);
        }
    }

    @Override
    void letPrune() {
        // every release does
    }
}
