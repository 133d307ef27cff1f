package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors as H2 has them: deadlocks, and rows that stay locked. */
@Timeout(300)
class H2FaultsTest {

    private final RowDatabase database = H2Database.inMemory();
    private LockStore store;

    @BeforeEach
    void makeRows() {
        store = Opened.store(database.settings());
        for (String name : List.of("row a", "row b", "row c")) {
            AcquisitionId id = id();
            granted(store, acquire(name, id));
            ask(store, release(name, id));
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void lock(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCK_TIMEOUT 60000");
            statement.execute("SELECT * FROM holdfast_lock WHERE name = " + RowDatabase.literal(name) + " FOR UPDATE");
        }
    }

    private void awaitBlocked(int sessions) {
        Await.until(
                "sessions wait for rows",
                () -> database.number("SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL")
                        == sessions);
    }

    /** The transaction that closes the circle is the one that H2 ends: the batch, which comes to the last row last. */
    @Test
    void batch_whenDeadlocked_isExecutedOnceMore() throws Exception {
        try (Connection first = database.connect();
                Connection second = database.connect()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            lock(first, "row b");
            lock(second, "row c");
            CompletableFuture<List<LockReply>> replies = CompletableFuture.supplyAsync(
                    () -> store.execute(
                            List.of(acquire("row a", id()), acquire("row b", id()), acquire("row c", id())),
                            Commands.CALL),
                    OwnThread.EACH);
            awaitBlocked(1);
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(
                    () -> {
                        try {
                            lock(second, "row a");
                            second.rollback();
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    OwnThread.EACH);
            awaitBlocked(2);
            first.rollback();
            assertThat(replies.get()).hasSize(3).allMatch(LockReply.Granted.class::isInstance);
            waiting.get();
        }
    }

    @Test
    void batch_whenARowStaysLocked_executesTheOthersAndLeavesNoLock() throws Exception {
        try (Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            lock(stranger, "row b");
            List<LockReply> replies =
                    store.execute(List.of(acquire("row a", id()), acquire("row b", id())), Duration.ofSeconds(6));
            assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
            assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
            lock(stranger, "row a"); // waits for as long as a transaction has it
            stranger.rollback();
            granted(store, acquire("row b", id()));
        }
    }
}
