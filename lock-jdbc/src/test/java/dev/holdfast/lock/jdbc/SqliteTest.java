package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.granted;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
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
}
