package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.BusyCarrierContract;
import dev.holdfast.lock.jdbc.server.SqliteDatabase;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Clients of SQLite whose only carrier is busy. */
@Tag("long")
class SqliteBusyCarrierTest extends BusyCarrierContract {

    @TempDir
    Path files;

    @Override
    protected Properties settings() {
        Properties settings = new Properties();
        settings.putAll(SqliteDatabase.in(files).settings("lock.provider", "jdbc"));
        return settings;
    }
}
