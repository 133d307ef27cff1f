package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

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

/** {@link SemanticsTest}, {@link QueueSemanticsTest} and {@link SignalSemanticsTest} on PostgreSQL. */
class PostgresSemanticsTest extends SignalSemanticsTest {

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
            statement.execute("DELETE FROM holdfast_lock; DELETE FROM holdfast_waiter; DELETE FROM holdfast_released;"
                    + " UPDATE holdfast_floor SET token = 0");
        }
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        assertThat(rows("holdfast_lock l WHERE waiters <> (SELECT count(*) FROM holdfast_waiter w"
                        + " WHERE w.namespace = l.namespace AND w.name = l.name)"))
                .as("locks that count their waiters wrong")
                .isZero();
        assertThat(rows("holdfast_waiter w LEFT JOIN holdfast_lock l USING (namespace, name) WHERE l.name IS NULL"))
                .as("waiters of no lock")
                .isZero();
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
            statement.executeUpdate("UPDATE holdfast_lock SET since = since - " + interval + ", until = until - "
                    + interval + ", promoted = promoted - " + interval);
            statement.executeUpdate("UPDATE holdfast_waiter SET seen = seen - " + interval);
            statement.executeUpdate("UPDATE holdfast_released SET until = until - " + interval);
        }
    }

    @Override
    void age() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_lock SET until = until - interval '1 hour'");
        }
    }

    @Override
    void letPrune() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_floor SET page = 0, round = '-infinity'"); // a round may begin
        }
        store.close();
        store = Opened.store(Map.of(
                "lock.jdbc.url", url,
                "lock.jdbc.username", SERVER.username(),
                "lock.jdbc.password", SERVER.password()));
    }
}
