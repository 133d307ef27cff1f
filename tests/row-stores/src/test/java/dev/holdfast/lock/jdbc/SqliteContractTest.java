package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.jdbc.server.SqliteDatabase;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.BreakableConnection;
import java.nio.file.Path;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit on SQLite. */
@Tag("first-build")
@Order(1)
class SqliteContractTest extends RowStoreContract {

    @TempDir
    static Path directory;

    @Override
    RowDatabase database() {
        return SqliteDatabase.in(directory);
    }

    @Override
    protected BreakableConnection breakableConnection() {
        throw notPossible("there is nothing between a process and its file; SqliteTest locks the file instead");
    }

    @Override
    protected void restart() {
        throw notPossible("there is no server; SqliteKilledProcessesTest kills the processes instead");
    }

    /** Namespaces are texts. */
    @Override
    String literal(Namespace namespace) {
        return "'" + namespace + "'";
    }
}
