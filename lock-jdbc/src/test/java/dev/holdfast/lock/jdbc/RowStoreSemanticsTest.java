package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.schema.DatabaseType;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** {@link NotificationSemanticsTest}, and all that it extends, on a database whose transactions lock rows. */
abstract class RowStoreSemanticsTest extends NotificationSemanticsTest {

    private SteppedClock clock;
    private LockStore store;

    abstract RowDatabase database();

    abstract DatabaseType type();

    abstract Dialect dialect();

    @BeforeEach
    void open() throws SQLException {
        clock = new SteppedClock(this::connection);
        JdbcUrl url = new JdbcUrl(database().settings().get("lock.jdbc.url"));
        Deadline deadline = Deadline.in(Commands.CALL);
        Connections connections = type().open(
                        url,
                        new DatabaseType.Settings(
                                Optional.ofNullable(database().settings().get("lock.jdbc.username")),
                                Optional.ofNullable(database().settings().get("lock.jdbc.password")),
                                4,
                                Commands.CALL,
                                true,
                                deadline));
        store = Opened.stepped(dialect(), url, connections, deadline);
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            for (String table : List.of("holdfast_lock", "holdfast_waiter", "holdfast_tombstone")) {
                statement.execute("DELETE FROM " + table);
            }
            statement.execute("UPDATE holdfast_token_floor SET token = 0");
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
        return database().connect();
    }

    @Override
    String literal(String name) {
        return RowDatabase.literal(name);
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
        // a round follows each release
    }
}
