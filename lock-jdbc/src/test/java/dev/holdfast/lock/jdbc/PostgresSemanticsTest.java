package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.RandomHistory;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * {@link ShareSemanticsTest}, and all that it extends, on PostgreSQL. The server is this test's own: NOTIFY takes a lock of
 * the whole server, and a notification after a durable release is given up if others keep it for long.
 */
@Tag("second-build")
class PostgresSemanticsTest extends ShareSemanticsTest {

    private static PostgresServer server;
    private static Postgres database;
    private static PostgresClock clock;
    private static Connection commands;
    private static int namespaces;

    private LockStore store;

    @BeforeAll
    static void makeDatabase() throws SQLException {
        server = PostgresServer.own();
        database = Postgres.withTables(server);
        clock = new PostgresClock(server, database.url());
        commands = database.connect();
    }

    @AfterAll
    static void stop() throws SQLException {
        commands.close();
        clock.close();
        server.close();
    }

    @BeforeEach
    void open() throws SQLException {
        store = Opened.store(database.settings());
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "DELETE FROM holdfast_lock; DELETE FROM holdfast_share; DELETE FROM holdfast_waiter; DELETE FROM holdfast_tombstone;"
                            + " UPDATE holdfast_token_floor SET token = 0");
        }
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        assertThat(rows("holdfast_lock l WHERE waiter_count <> (SELECT count(*) FROM holdfast_waiter w"
                        + " WHERE w.namespace = l.namespace AND w.name = l.name)"))
                .as("locks with a wrong waiter_count")
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
        return database.connect();
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
    RandomHistory.Subject history() throws SQLException {
        return new PostgresHistory(commands, clock, "n" + namespaces++);
    }

    @Override
    void age() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_lock SET expires_at = expires_at - interval '1 hour'");
        }
    }

    @Override
    void letPrune() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE holdfast_token_floor SET prune_page = 0, prune_at = '-infinity'"); // a round may begin
        }
        store.close();
        store = Opened.store(database.settings());
    }
}
