package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.schema.DatabaseType;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link NotificationSemanticsTest}, and all that it extends, on a database whose transactions lock rows. */
abstract class RowStoreSemanticsTest extends NotificationSemanticsTest {

    private SteppedClock clock;
    private LockStore store;

    abstract RowDatabase database();

    abstract DatabaseType type();

    abstract Dialect dialect();

    /** A query for the number of transactions that wait for the row "raced", or are about to. */
    abstract String countBlocked();

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

    /** A decision about the row as it was before the other transaction would grant a held lock. */
    @Test
    void acquire_whenAnotherTransactionGrants_waitsForItAndIsRefused() throws Exception {
        AcquisitionId before = id();
        granted(store(), acquire("raced", before));
        ask(store(), release("raced", before));
        try (Connection other = connection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.executeUpdate("UPDATE holdfast_lock SET state = 'held', expires_at = expires_at + 3600000000,"
                    + " id = X'000102030405060708090a0b0c0d0e0f', token = token + 1"
                    + " WHERE namespace = " + literal("test") + " AND name = " + literal("raced"));
            CompletableFuture<LockReply> reply =
                    CompletableFuture.supplyAsync(() -> ask(store(), acquire("raced", id())), OwnThread.EACH);
            Await.until("it waits for the row", () -> {
                try (Connection observer = connection();
                        Statement query = observer.createStatement();
                        ResultSet row = query.executeQuery(countBlocked())) {
                    row.next();
                    return row.getInt(1) > 0;
                }
            });
            other.commit();
            assertThat(reply.get()).isInstanceOf(LockReply.Busy.class);
        }
    }

    /** One poll sees all of their turns. */
    @Test
    void releases_ofOneBatch_notifyTheFirstWaiterOfEachLock() throws Exception {
        ReceivedNotifications heard = new ReceivedNotifications();
        try (AutoCloseable subscription = store().subscribe(heard)) {
            assertThat(subscription).isNotNull();
            heard.awaitAny();
            Map<String, AcquisitionId> waiters = new LinkedHashMap<>();
            List<LockCommand> releases = new ArrayList<>();
            for (String name : List.of("one", "two", "three")) {
                AcquisitionId holder = id();
                granted(store(), acquire(name, holder));
                waiters.put(name, id());
                ask(store(), queue(name, waiters.get(name)));
                releases.add(release(name, holder));
            }
            assertThat(heard.count()).isEqualTo(1);
            assertThat(store().execute(releases, Commands.CALL)).containsOnly(new LockReply.Released(true));
            waiters.forEach(heard::awaitTurn);
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
