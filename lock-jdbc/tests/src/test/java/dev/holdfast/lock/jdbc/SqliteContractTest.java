package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;

import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.LockStoreContract;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.junit.jupiter.api.io.TempDir;

/** The conformance kit on SQLite. */
class SqliteContractTest extends LockStoreContract {

    @TempDir
    static Path directory;

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.setProperty("lock.jdbc.url", "jdbc:sqlite:" + file());
        return properties;
    }

    @Override
    protected BreakableConnection breakableConnection() {
        throw notPossible("there is nothing between a process and its file; SqliteTest locks the file instead");
    }

    @Override
    protected void restart() {
        throw notPossible("there is no server; SqliteProcessesTest kills the processes instead");
    }

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        long micros = by.toNanos() / 1_000;
        execute("UPDATE holdfast_lock SET token = token + " + micros + ", granted_at = granted_at + " + micros
                + ", expires_at = expires_at + " + micros + ", promoted_at = promoted_at + " + micros
                + " WHERE namespace = '"
                + namespace
                + "'");
        execute("UPDATE holdfast_waiter SET seen_at = seen_at + " + micros + " WHERE namespace = '" + namespace + "'");
        execute("UPDATE holdfast_tombstone SET expires_at = expires_at + " + micros + " WHERE namespace = '" + namespace
                + "'");
    }

    @Override
    protected void prune(Namespace namespace) {
        long now = (Instant.now().toEpochMilli() + 1) * 1_000;
        String where = " WHERE namespace = '" + namespace + "' AND expires_at <= " + now;
        String idleLock = where + " AND name NOT IN (SELECT name FROM holdfast_waiter WHERE namespace = '" + namespace
                + "' AND seen_at > " + (now - QueueTimes.WAITER_TTL.toMillis() * 1_000) + ")";
        execute("UPDATE holdfast_lock SET expires_at = expires_at - 120000000" + idleLock);
        String idle = "SELECT (SELECT count(*) FROM holdfast_lock" + idleLock
                + ") + (SELECT count(*) FROM holdfast_tombstone" + where + ")";
        try (LockStore store = Opened.sqlite(file())) {
            for (int few = 0; few < 1_000 && number(idle) > 0; few++) {
                ask(store, release("nothing", id())); // which prunes a few rows of any namespace
            }
        }
    }

    @Override
    protected long namesKept(Namespace namespace) {
        String where = " WHERE namespace = '" + namespace + "')";
        return number("SELECT (SELECT count(*) FROM holdfast_lock" + where
                + " + (SELECT count(*) FROM holdfast_waiter" + where
                + " + (SELECT count(*) FROM holdfast_tombstone" + where);
    }

    private static Path file() {
        return directory.resolve("locks.db");
    }

    private static void execute(String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
            statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long number(String sql) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement();
                ResultSet number = statement.executeQuery(sql)) {
            return number.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
