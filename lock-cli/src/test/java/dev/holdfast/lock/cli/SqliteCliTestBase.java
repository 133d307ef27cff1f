package dev.holdfast.lock.cli;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Base of tests on a SQLite file of their own. */
abstract class SqliteCliTestBase extends CliTestBase {

    @Override
    String store() {
        return TestStores.sqlite(database());
    }

    Path database() {
        return folder.resolve("sqlite.db");
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + database());
    }
}
