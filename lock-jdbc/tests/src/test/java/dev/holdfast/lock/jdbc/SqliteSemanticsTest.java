package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** {@link NotificationSemanticsTest}, and all that it extends, on SQLite. */
class SqliteSemanticsTest extends NotificationSemanticsTest {

    @TempDir
    Path directory;

    private SteppedClock clock;
    private LockStore store;

    @BeforeEach
    void open() {
        clock = new SteppedClock(this::connection);
        store = Opened.steppedSqlite(directory.resolve("locks.db"));
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
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("locks.db") + "?busy_timeout=60000");
    }

    @Override
    void pass(Duration time) {
        clock.step(time);
    }

    @Override
    Instant now() {
        return clock.instant();
    }

    @Override
    void age() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_lock SET expires_at = expires_at - 3600000000");
        }
    }

    @Override
    void letPrune() {
        // every release does
    }
}
