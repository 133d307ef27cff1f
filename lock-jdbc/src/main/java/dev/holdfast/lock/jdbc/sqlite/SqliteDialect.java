package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.Session;
import dev.holdfast.lock.jdbc.row.TurnPoller;
import dev.holdfast.lock.jdbc.schema.DatabaseSchema.SchemaTask;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A SQLite file, shared by the processes of one machine. SQLite lets one process write at a time, and rolls back what a killed
 * process left unfinished. Its clock is the machine's.
 */
public class SqliteDialect implements Dialect {

    private static final SchemaScripts SCRIPTS = SchemaScripts.ofTables(SqliteDialect.class, "V1__tables.sql");
    private static final Map<String, String> STATEMENTS =
            SqlScripts.readStatements(SqliteDialect.class, "statements.sql");

    private static final int FULL = 2;

    private final JdbcUrl url;

    /** @param url of a file */
    public SqliteDialect(JdbcUrl url) {
        this.url = url;
    }

    @Override
    public SchemaScripts scripts() {
        return SCRIPTS;
    }

    @Override
    public String findTables() {
        return "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'holdfast!_%' ESCAPE '!'";
    }

    @Override
    public String clock() {
        return "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)";
    }

    @Override
    public Map<String, String> statements() {
        return STATEMENTS;
    }

    @Override
    public String forUpdate() {
        return "";
    }

    @Override
    public String skipLocked() {
        return "";
    }

    @Override
    public String listOfRows() {
        return "VALUES ";
    }

    @Override
    public boolean excludesAllWrites() {
        return true;
    }

    @Override
    public Object toColumn(String name) {
        return name; // text is compared byte by byte
    }

    @Override
    public String fromColumn(ResultSet row, String column) throws SQLException {
        return row.getString(column);
    }

    @Override
    public Restoration limitWaiting(Session session) throws SQLException {
        Connection connection = session.connection();
        boolean isApplications = session.isApplications();
        try (Statement statement = connection.createStatement()) {
            int synchronous = isApplications ? readPragma(statement, "synchronous") : FULL;
            int busyTimeout = isApplications ? readPragma(statement, "busy_timeout") : 0;
            if (synchronous < FULL) {
                statement.execute("PRAGMA synchronous = FULL");
            }
            statement.execute(
                    "PRAGMA busy_timeout = " + Math.max(1, session.deadline().millisLeft()));
            return () -> {
                try (Statement restore = connection.createStatement()) {
                    restore.execute("PRAGMA synchronous = " + synchronous);
                    restore.execute("PRAGMA busy_timeout = " + busyTimeout);
                }
            };
        }
    }

    private static int readPragma(Statement statement, String name) throws SQLException {
        try (ResultSet value = statement.executeQuery("PRAGMA " + name)) {
            return value.next() ? value.getInt(1) : 0;
        }
    }

    @Override
    public void begin(Connection connection, Statement statement) throws SQLException {
        statement.execute("BEGIN IMMEDIATE"); // with the right to write, so that no other write overtakes it
    }

    @Override
    public void commit(Connection connection, Statement statement) throws SQLException {
        statement.execute("COMMIT");
    }

    @Override
    public void rollBack(Connection connection, Statement statement) throws SQLException {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            if (SqliteErrors.INSTANCE.classify(e).isOutage()) {
                throw e;
            }
            // SQLite has rolled back already
        }
    }

    @Override
    public void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException {
        SetupLock.runLocked(url.file(), deadline, task);
    }

    @Override
    public TurnPoller.Poll poll(JdbcUrl ofStore, Connections connections) throws SQLException {
        return new FilePoll(
                connections.areApplications()
                        ? new DriverDataSource(ofStore.value(), SqliteFile.DRIVER, new Properties())
                        : connections.direct());
    }

    @Override
    public Duration notificationDelay() {
        return Duration.ofMillis(FilePoll.MAX_PAUSE_MILLIS);
    }

    @Override
    public List<Finding> diagnose(Connection connection, JdbcUrl ofStore) throws SQLException {
        return SqliteDiagnostics.diagnose(connection, ofStore.file());
    }
}
