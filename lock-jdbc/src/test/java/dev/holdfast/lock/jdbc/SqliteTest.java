package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.granted;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.queue;
import static dev.holdfast.lock.jdbc.Steps.release;
import static dev.holdfast.lock.jdbc.Steps.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is particular to SQLite. */
class SqliteTest {

    @TempDir
    Path directory;

    @Test
    void aFileThatAStrangerKeepsLockedIsNoAnswerAndNeverBusy() throws Exception {
        Path file = directory.resolve("locks.db");
        try (LockStore store = Opened.sqlite(file);
                Connection stranger = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = stranger.createStatement()) {
            AcquisitionId id = id();
            granted(store, acquire("locked", id));
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> store.apply(List.of(acquire("locked", id())), Duration.ofMillis(200)))
                    .isInstanceOf(LockUnavailableException.class);
            statement.execute("ROLLBACK");
            assertThat(ask(store, acquire("locked", id()))).isInstanceOf(Answer.Busy.class);
            assertThat(ask(store, release("locked", id))).isEqualTo(new Answer.Released(true));
        }
    }

    @Test
    void noWaiterIsStrandedWhileOthersComeAndLeave() throws Exception {
        Path file = directory.resolve("locks.db");
        try (LockStore store = Opened.sqlite(file, new SteppedClock())) {
            new Crowd(store).comeAndLeave(40);
        }
        assertThat(value(file, "SELECT count(*) FROM holdfast_waiter")).isZero();
    }

    @Test
    void aWaiterThatAsksAgainAMomentLaterWritesNothing() throws Exception {
        Path file = directory.resolve("locks.db");
        SteppedClock clock = new SteppedClock();
        try (LockStore store = Opened.sqlite(file, clock);
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            granted(store, acquire("waited for", id()));
            AcquisitionId waiter = id();
            waiting(store, queue("waited for", waiter));
            long before = version(connection);
            waiting(store, queue("waited for", waiter));
            assertThat(version(connection)).isEqualTo(before);
            clock.step(Duration.ofSeconds(2));
            waiting(store, queue("waited for", waiter));
            assertThat(version(connection)).isNotEqualTo(before);
        }
    }

    @Test
    void aSubscriberNeitherHoldsUpWritersNorIsHeldUp() throws Exception {
        Path file = directory.resolve("locks.db");
        try (LockStore store = Opened.sqlite(file);
                Connection stranger = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = stranger.createStatement()) {
            Heard heard = new Heard();
            statement.execute("BEGIN IMMEDIATE");
            store.signals(heard);
            heard.awaitAny();
            statement.execute("COMMIT");
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            granted(store, acquire("waited for", holder));
            waiting(store, queue("waited for", waiter));
            try (LockStore other = Opened.sqlite(file)) {
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
