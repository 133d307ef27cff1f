package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour that only SQLite has. */
@Tag("first-build")
class SqliteTest {

    @TempDir
    Path directory;

    @Test
    void acquire_whenFileIsLocked_isUnavailableAndNotBusy() throws Exception {
        Path file = directory.resolve("locks.db");
        try (LockStore store = Opened.sqlite(file);
                Connection stranger = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = stranger.createStatement()) {
            AcquisitionId id = id();
            granted(store, acquire("locked", id));
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> store.execute(List.of(acquire("locked", id())), Duration.ofMillis(200)))
                    .isInstanceOf(LockUnavailableException.class);
            statement.execute("ROLLBACK");
            assertThat(ask(store, acquire("locked", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(ask(store, release("locked", id))).isEqualTo(new LockReply.Released(true));
        }
    }

    @Test
    void waiters_whileOthersComeAndLeave_areNeverStranded() throws Exception {
        Path file = directory.resolve("locks.db");
        new SteppedClock(connect(file)).close(); // stands still from now on
        try (LockStore store = Opened.steppedSqlite(file)) {
            new ComingAndLeavingWaiters(store).comeAndLeave(40);
        }
        assertThat(value(file, "SELECT count(*) FROM holdfast_waiter")).isZero();
    }

    @Test
    void waiter_whenItAsksAgainSoon_writesNothing() throws Exception {
        Path file = directory.resolve("locks.db");
        try (SteppedClock clock = new SteppedClock(connect(file));
                LockStore store = Opened.steppedSqlite(file);
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            granted(store, acquire("waited for", id()));
            AcquisitionId waiter = id();
            waiting(store, queue("waited for", waiter));
            long before = version(connection);
            waiting(store, queue("waited for", waiter));
            assertThat(version(connection)).isEqualTo(before);
            clock.step(Duration.ofSeconds(2));
            before = version(connection);
            waiting(store, queue("waited for", waiter));
            assertThat(version(connection)).isNotEqualTo(before);
        }
    }

    @Test
    void subscriber_neitherBlocksWritesNorIsBlocked() throws Exception {
        Path file = directory.resolve("locks.db");
        new SteppedClock(connect(file)).close(); // stands still from now on
        try (LockStore store = Opened.steppedSqlite(file);
                Connection stranger = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = stranger.createStatement()) {
            ReceivedNotifications heard = new ReceivedNotifications();
            statement.execute("BEGIN IMMEDIATE");
            store.subscribe(heard);
            heard.awaitAny();
            statement.execute("COMMIT");
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            granted(store, acquire("waited for", holder));
            waiting(store, queue("waited for", waiter));
            try (LockStore other = Opened.steppedSqlite(file)) {
                ask(other, release("waited for", holder));
            }
            heard.awaitTurn("waited for", waiter);
            statement.execute("PRAGMA busy_timeout = 0");
            Await.until("no other connection is in the way", () -> {
                try (var moved = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
                    return moved.getInt(1) == 0;
                }
            });
        }
    }

    private static Connection connect(Path file) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=60000");
    }

    private static long version(Connection connection) throws SQLException {
        try (var version = connection.createStatement().executeQuery("PRAGMA data_version")) {
            return version.getLong(1);
        }
    }

    private static long value(Path file, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var row = connection.createStatement().executeQuery(sql)) {
            return row.getLong(1);
        }
    }
}
