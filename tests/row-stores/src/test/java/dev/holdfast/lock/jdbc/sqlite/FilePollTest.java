package dev.holdfast.lock.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.SqliteDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** Which polls read the tables of a file. */
@Tag("second-build")
class FilePollTest {

    private static final int BUSY = 5;

    @TempDir
    private Path directory;

    /** The turns of a change that was not read would be told only after the next change. */
    @Test
    void read_whenTheFileWasBusyAtTheLastOne_readsThoughNothingHasChangedSince() throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl(SqliteDatabase.in(directory).url());
        try (FilePoll poll = new FilePoll(source)) {
            assertThat(poll.read(connection -> {
                        throw new SQLException("busy", null, BUSY);
                    }))
                    .isFalse();
            assertThat(poll.read(connection -> true)).isTrue();
            assertThat(poll.read(connection -> true)).isFalse();
        }
    }
}
