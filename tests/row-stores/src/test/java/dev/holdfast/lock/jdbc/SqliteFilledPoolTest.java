package dev.holdfast.lock.jdbc;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** A filled pool of connections to a file of SQLite. */
class SqliteFilledPoolTest extends HikariFilledPool {

    @TempDir
    Path directory;

    @Override
    Map<String, String> settings() {
        return Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks.db"));
    }
}
