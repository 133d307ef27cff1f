package dev.holdfast.lock.jdbc.mysql;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.Session;
import dev.holdfast.lock.jdbc.schema.DatabaseSchema.SchemaTask;
import dev.holdfast.lock.jdbc.schema.SchemaLockLimit;
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
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** MariaDB from version 10.6 on, and MySQL from version 8.0 on, with InnoDB. */
public final class MySqlDialect implements Dialect {

    private static final SchemaScripts SCRIPTS = SchemaScripts.ofTables(MySqlDialect.class, "V1__tables.sql");
    private static final Map<String, String> STATEMENTS =
            SqlScripts.readStatements(MySqlDialect.class, "statements.sql");

    /** A name that is unique on the whole server, of at most 64 characters. */
    private static final String SETUP_LOCK = "CONCAT('holdfast-', LEFT(SHA2(DATABASE(), 256), 40))";

    /** The limit in whole seconds; the server's default is a year or a day. */
    private static final SchemaLockLimit SCHEMA_LOCK_LIMIT =
            new SchemaLockLimit("SELECT @@session.lock_wait_timeout", "SET SESSION lock_wait_timeout = ", "1");

    /**
     * Ends a transaction, whatever the session's completion_type: it could begin another one, which would keep a later statement
     * from others, or end the session.
     */
    private static final String NO_MORE = " AND NO CHAIN NO RELEASE";

    private static final String COMMIT = "COMMIT" + NO_MORE;

    /** The greatest value, for no limit of the rows of a result: where rows are missing, a lock seems free. */
    private static final String ALL_ROWS = "18446744073709551615";

    /** Variables of the store's own sessions: their limits for silence between transactions and within them. */
    private static final String SILENCE_BETWEEN = "@holdfast_silence_between";

    private static final String SILENCE_WITHIN = "@holdfast_silence_within";

    private final boolean sendsSeveral;

    /** Whether the server is MariaDB; null until a transaction has begun. */
    private volatile @Nullable Boolean isMariaDb;

    /** Whether the server is one of several that take writes; null until a transaction has begun on a session of the store's own. */
    private volatile @Nullable Boolean isOneOfSeveral;

    /** @param sendsSeveral whether one call of the driver sends several statements */
    public MySqlDialect(boolean sendsSeveral) {
        this.sendsSeveral = sendsSeveral;
    }

    /**
     * The settings of the store's own sessions. The server must end a transaction whose client has stopped, as it has locked rows;
     * MariaDB has a limit for this, and MySQL one for all silence, which is set for each transaction.
     */
    static List<String> session(Duration callTimeout) {
        return List.of(
                // Under the default, locks on gaps between rows would deadlock.
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "SET SESSION innodb_lock_wait_timeout = " + lockTimeout(callTimeout)
                        + ", sql_select_limit = " + ALL_ROWS + ", " + SILENCE_BETWEEN + " = @@SESSION.wait_timeout"
                        + ", " + SILENCE_WITHIN + " = " + silenceLimit(callTimeout)
                        + " /*M! , SESSION idle_transaction_timeout = " + silenceLimit(callTimeout) + " */");
    }

    /** The lock timeout in whole seconds; a part of the call's time, so that there is time to try again. */
    private static long lockTimeout(Duration callTimeout) {
        return Math.max(1, Math.min(callTimeout.toSeconds() / 3, 600));
    }

    /** The limit in whole seconds; no live client is silent within a transaction for longer than a call may take. */
    private static long silenceLimit(Duration callTimeout) {
        return Math.max(1, Math.min(callTimeout.plusMillis(999).toSeconds(), 600));
    }

    @Override
    public SchemaScripts scripts() {
        return SCRIPTS;
    }

    @Override
    public String findTables() {
        return "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
                + " AND table_name LIKE 'holdfast!_%' ESCAPE '!'";
    }

    /**
     * The start of the statement: after the row was locked, as that is a separate statement. In UTC, as local time is ambiguous
     * when the clocks go back.
     */
    @Override
    public String clock() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    }

    @Override
    public Map<String, String> statements() {
        return STATEMENTS;
    }

    @Override
    public Restoration limitWaiting(Session session) throws SQLException {
        Duration left = Duration.ofMillis(Math.max(1, session.deadline().millisLeft()));
        return limit(session, before -> new Limits(lockTimeout(left), silenceLimit(left), ALL_ROWS));
    }

    /** With a limit for silence, the server would end a session while this process has no waiters to ask for. */
    @Override
    public Restoration limitPolls(Session session) throws SQLException {
        Duration left = Duration.ofMillis(Math.max(1, session.deadline().millisLeft()));
        return limit(session, before -> new Limits(lockTimeout(left), before.silence, ALL_ROWS));
    }

    /** The store's own sessions have their limits from the beginning. */
    private Restoration limit(Session session, UnaryOperator<Limits> change) throws SQLException {
        Restoration network = Dialect.super.limitWaiting(session);
        if (!session.isApplications()) {
            return network;
        }
        Connection connection = session.connection();
        Limits before = Limits.read(connection);
        change.apply(before).set(connection);
        return () -> {
            before.set(connection);
            network.run();
        };
    }

    /**
     * The limits of a session.
     *
     * @param lock how long a statement waits for a lock, in seconds
     * @param silence how long the server waits for the next statement, in seconds
     * @param rows of a result
     */
    private record Limits(long lock, long silence, String rows) {

        static Limits read(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT @@SESSION.innodb_lock_wait_timeout, @@SESSION.wait_timeout, @@SESSION.sql_select_limit")) {
                row.next();
                return new Limits(row.getLong(1), row.getLong(2), row.getString(3));
            }
        }

        void set(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION innodb_lock_wait_timeout = " + lock + ", SESSION wait_timeout = "
                        + silence + ", SESSION sql_select_limit = " + rows);
            }
        }
    }

    /** Begins by a statement: switching autocommit off and on takes two round trips. */
    @Override
    public void begin(Connection connection, Statement statement) throws SQLException {
        if (sendsSingly()) {
            limitSilence(connection, statement, SILENCE_WITHIN);
        }
        statement.execute("START TRANSACTION");
    }

    @Override
    public void commit(Connection connection, Statement statement) throws SQLException {
        statement.execute(COMMIT);
        if (sendsSingly()) {
            limitSilence(connection, statement, SILENCE_BETWEEN);
        }
    }

    @Override
    public void rollBack(Connection connection, Statement statement) throws SQLException {
        statement.execute("ROLLBACK" + NO_MORE);
        limitSilence(connection, statement, SILENCE_BETWEEN);
    }

    /** On MySQL. The application's sessions have no such variable, and keep what they have. */
    private void limitSilence(Connection connection, Statement statement, String variable) throws SQLException {
        if (!isMariaDb(connection)) {
            statement.execute(
                    "SET SESSION wait_timeout = CAST(COALESCE(" + variable + ", @@SESSION.wait_timeout) AS SIGNED)");
        }
    }

    /**
     * Not on one of several servers that take writes. Galera may roll a transaction back between two statements of one call, for one
     * of another node. It then executes the rest by themselves, and reports that all have succeeded.
     */
    @Override
    public boolean sendsSeveral(Connection connection) throws SQLException {
        return sendsSeveral && !isOneOfSeveral(connection);
    }

    /** As far as is known: a session of the application's is not asked. */
    private boolean sendsSingly() {
        return !sendsSeveral || Boolean.TRUE.equals(isOneOfSeveral);
    }

    private boolean isOneOfSeveral(Connection connection) throws SQLException {
        Boolean known = isOneOfSeveral;
        if (known == null) {
            known = MySqlDiagnostics.isOneOfSeveral(connection);
            isOneOfSeveral = known;
        }
        return known;
    }

    @Override
    public List<String> beginSeveral(Connection connection) throws SQLException {
        return isMariaDb(connection)
                ? List.of("START TRANSACTION")
                : List.of("SET SESSION wait_timeout = " + SILENCE_WITHIN, "START TRANSACTION");
    }

    @Override
    public List<String> commitSeveral(Connection connection) throws SQLException {
        return isMariaDb(connection)
                ? List.of(COMMIT)
                : List.of(COMMIT, "SET SESSION wait_timeout = " + SILENCE_BETWEEN);
    }

    /** Either driver names the server in its version. */
    private boolean isMariaDb(Connection connection) throws SQLException {
        Boolean known = isMariaDb;
        if (known == null) {
            known = connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
            isMariaDb = known;
        }
        return known;
    }

    @Override
    public String byKey() {
        return "FORCE INDEX (PRIMARY)";
    }

    @Override
    public void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException {
        try (Connection connection = connections.openForSchema(deadline);
                Statement statement = connection.createStatement()) {
            int seconds = Math.max(1, deadline.millisLeft() / 1_000);
            if (!queryFlag(statement, "SELECT GET_LOCK(" + SETUP_LOCK + ", " + seconds + ")")) {
                throw new LockUnavailableException("another process takes too long to set up the database", null);
            }
            try {
                task.run();
            } finally {
                queryFlag(
                        statement,
                        "SELECT RELEASE_LOCK(" + SETUP_LOCK + ")"); // an application's pool keeps the session
            }
        }
    }

    @Override
    public Optional<SchemaLockLimit> schemaLockLimit() {
        return Optional.of(SCHEMA_LOCK_LIMIT);
    }

    private static boolean queryFlag(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() && row.getInt(1) == 1;
        }
    }

    @Override
    public List<Finding> diagnose(Connection connection, JdbcUrl url) throws SQLException {
        return new MySqlDiagnostics(connection).findings();
    }
}
