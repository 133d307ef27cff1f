package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.RowLockDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;

/** SQLite, by {@code jdbc:sqlite:} and a file. */
public final class SqliteType implements DatabaseType {

    /** For the list of all types. */
    public SqliteType() {}

    @Override
    public String urlForm() {
        return "jdbc:sqlite:<file>";
    }

    @Override
    public boolean accepts(JdbcUrl url) {
        return url.isSqlite();
    }

    @Override
    public boolean isProduct(String productName) {
        return productName.equals("SQLite");
    }

    @Override
    public Optional<String> allowedInstead(JdbcUrl url) {
        return url.file().isPresent() ? Optional.empty() : Optional.of(urlForm() + ", a plain path without parameters");
    }

    @Override
    public int poolSize() {
        return 1;
    }

    @Override
    public int maxPoolSize() {
        return 2;
    }

    @Override
    public ErrorClasses errors() {
        return SqliteErrors.INSTANCE;
    }

    @Override
    public Connections open(JdbcUrl url, Settings settings) throws SQLException {
        Path file = url.file().orElseThrow();
        if (settings.create()) {
            return SqliteFile.open(url, file, settings.poolSize(), settings.deadline());
        } else if (Files.notExists(file)) {
            throw new LockConfigurationException(
                    "there is no file " + file + " yet: the first use of a lock creates it");
        }
        return SqliteFile.openExisting(url, file, settings.poolSize(), settings.deadline());
    }

    @Override
    public Database database(JdbcUrl url) {
        if (url.value().contains(":memory:")) {
            throw new LockConfigurationException(url + " is a database of one connection: locks need a SQLite file");
        }
        return new RowLockDatabase(new SqliteDialect(url), url);
    }
}
