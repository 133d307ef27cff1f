package dev.holdfast.lock.fencing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Locale;

/** The databases that have a fence. Each has its SQL in a folder beside this class. */
enum FenceDatabase {
    POSTGRESQL(false),
    /** MariaDB as well. */
    MYSQL(true),
    H2(true),
    SQLITE(false);

    private final boolean namesAsBytes;

    FenceDatabase(boolean namesAsBytes) {
        this.namesAsBytes = namesAsBytes;
    }

    /** The database of a connection; drivers know it without asking the server. */
    static FenceDatabase of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MySQL", "MariaDB" -> MYSQL;
            case "H2" -> H2;
            case "SQLite" -> SQLITE;
            default ->
                throw new SQLFeatureNotSupportedException(
                        "Fence supports PostgreSQL, MariaDB, MySQL, H2 and SQLite; this database" + " calls itself '"
                                + product + "'. Compare fencing tokens in the statements that write instead");
        };
    }

    /** A lock's name or a namespace as a parameter: bytes where the collation of a text could make two names equal. */
    Object name(String value) {
        return namesAsBytes ? value.getBytes(StandardCharsets.UTF_8) : value;
    }

    /** The folder of its SQL files, beside this class. */
    String folder() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The text of one of its SQL files. */
    String read(String file) {
        String path = folder() + "/" + file;
        try (InputStream in = FenceDatabase.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException(
                        "the resource " + path + " beside " + FenceDatabase.class + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + path + " beside " + FenceDatabase.class, e);
        }
    }
}
