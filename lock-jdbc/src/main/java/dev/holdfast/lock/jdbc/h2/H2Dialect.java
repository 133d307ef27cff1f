package dev.holdfast.lock.jdbc.h2;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.Session;
import dev.holdfast.lock.jdbc.schema.DatabaseSchema.SchemaTask;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * H2, from version 2.3 on, in any of its modes. Its own definitions have upper-case names: a database may be case-sensitive.
 */
public final class H2Dialect implements Dialect {

    private static final SchemaScripts SCRIPTS = SchemaScripts.ofTables(H2Dialect.class, "V1__tables.sql");
    private static final Map<String, String> STATEMENTS = SqlScripts.readStatements(H2Dialect.class, "statements.sql");

    /** Each database uses one of them: a slow setup holds up few others. */
    private static final List<ReentrantLock> SETUPS =
            Stream.generate(ReentrantLock::new).limit(64).toList();

    private static final int SETUP_ATTEMPTS = 10;
    private static final long SETUP_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ReentrantLock setup;

    /** The dialect of one database. */
    public H2Dialect(JdbcUrl url) {
        String withoutSettings = url.value().split(";", 2)[0];
        setup = SETUPS.get(Math.floorMod(withoutSettings.hashCode(), SETUPS.size()));
    }

    @Override
    public SchemaScripts scripts() {
        return SCRIPTS;
    }

    @Override
    public String findTables() {
        return "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = CURRENT_SCHEMA"
                + " AND LOWER(TABLE_NAME) LIKE 'holdfast!_%' ESCAPE '!'";
    }

    /** CURRENT_TIMESTAMP is the start of the transaction. A user without rights sees its own session, too. */
    @Override
    public String clock() {
        return "(SELECT CAST(EXTRACT(EPOCH FROM EXECUTING_STATEMENT_START) * 1000000 AS BIGINT)"
                + " FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID = SESSION_ID())";
    }

    @Override
    public Map<String, String> statements() {
        return STATEMENTS;
    }

    /** Some of H2's modes lack LIMIT. */
    @Override
    public String limit() {
        return "FETCH FIRST :limit ROWS ONLY";
    }

    @Override
    public Restoration limitWaiting(Session session) throws SQLException {
        Connection connection = session.connection();
        Restoration network = Dialect.super.limitWaiting(session);
        try (Statement statement = connection.createStatement()) {
            int before = session.isApplications() ? readLockTimeout(statement) : 0;
            setLockTimeout(connection, Math.max(1, session.deadline().millisLeft() / 3));
            return () -> {
                setLockTimeout(connection, before);
                network.run();
            };
        }
    }

    private static int readLockTimeout(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void setLockTimeout(Connection connection, int millis) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCK_TIMEOUT " + millis);
        }
    }

    /**
     * H2 has no lock for this. Flyway locks its history once that exists; the first process to create it wins, and the others try
     * again.
     */
    @Override
    public void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException {
        try {
            if (!setup.tryLock(Math.max(1, deadline.millisLeft()), TimeUnit.MILLISECONDS)) {
                throw new LockUnavailableException("another thread takes too long to set up the database", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockUnavailableException("interrupted while another thread set up the database", e);
        }
        try {
            for (int attempt = 1; !isDone(task, attempt == SETUP_ATTEMPTS || deadline.isOver()); attempt++) {
                LockSupport.parkNanos(SETUP_PAUSE_NANOS);
            }
        } finally {
            setup.unlock();
        }
    }

    private static boolean isDone(SchemaTask task, boolean isLast) throws SQLException {
        try {
            task.run();
            return true;
        } catch (SQLException | LockConfigurationException e) {
            boolean mayBeRace = e instanceof SQLException || e.getCause() instanceof Exception; // Flyway's
            if (isLast || !mayBeRace) {
                throw e;
            }
            return false;
        }
    }

    @Override
    public List<Finding> diagnose(Connection connection, JdbcUrl url) throws SQLException {
        return H2Diagnostics.diagnose(connection, url);
    }
}
