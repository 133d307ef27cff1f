package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.contract.KilledProcessesContract;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Killed and stopped processes on SQLite, which begin with an empty file; in each build on MariaDB, by the same code. */
@Tag("long")
class SqliteKilledProcessesTest extends KilledProcessesContract {

    @TempDir
    private Path files;

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.jdbc.url", url());
        return settings;
    }

    private String url() {
        return "jdbc:sqlite:" + files.resolve("locks.db");
    }

    @AfterEach
    void checkFile() throws SQLException {
        try (var connection = DriverManager.getConnection(url());
                var check = connection.createStatement().executeQuery("PRAGMA integrity_check")) {
            assertThat(check.getString(1)).isEqualTo("ok");
        }
    }
}
