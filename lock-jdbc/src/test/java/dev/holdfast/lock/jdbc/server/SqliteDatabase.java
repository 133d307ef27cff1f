package dev.holdfast.lock.jdbc.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/** A file of SQLite. Names are texts in it. */
public record SqliteDatabase(String url) implements RowDatabase {

    /** The one of a directory. */
    public static SqliteDatabase in(Path directory) {
        return new SqliteDatabase("jdbc:sqlite:" + directory.resolve("locks.db"));
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("lock.jdbc.url", url);
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url + "?busy_timeout=60000");
    }
}
