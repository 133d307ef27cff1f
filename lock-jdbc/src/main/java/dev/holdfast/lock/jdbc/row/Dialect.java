package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.jdbc.schema.DatabaseSchema.SchemaTask;
import dev.holdfast.lock.jdbc.schema.SchemaLockLimit;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The differences between the databases on which {@link RowLockDatabase} keeps locks. The defaults are standard SQL and JDBC.
 * Thread-safe.
 *
 * <p>The meaning of errors is not here, but in the {@link dev.holdfast.lock.jdbc.pool.ErrorClasses} of the connections, as the
 * pool needs it, too.
 */
public interface Dialect {

    /** The scripts that create the tables. */
    SchemaScripts scripts();

    /**
     * The names, in lower case, of those tables that exist where the statements look for them: of Holdfast's, and of {@value
     * dev.holdfast.lock.jdbc.schema.SchemaState#HISTORY}.
     */
    String findTables();

    /**
     * A SQL expression for the microseconds since 1970 by the database's clock at the start of the statement, not of the
     * transaction, which may have waited for the row of a lock meanwhile. It must not depend on a time zone.
     */
    String clock();

    /** Statements that replace those of {@code statements.sql}, by their names. */
    default Map<String, String> statements() {
        return Map.of();
    }

    /** The end of a query that returns at most the parameter's number of rows. */
    default String limit() {
        return "LIMIT :limit";
    }

    /** The end of a query that locks the rows that it reads until the end of the transaction, waiting for other transactions. */
    default String forUpdate() {
        return "FOR UPDATE";
    }

    /** The end of a query that locks the rows that it reads, and leaves out those that other transactions have locked. */
    default String skipLocked() {
        return "FOR UPDATE SKIP LOCKED";
    }

    /** Follows a table whose rows are to be found by the primary key, whatever the statistics say. */
    default String byKey() {
        return "";
    }

    /** Precedes a list of rows after {@code IN}. */
    default String listOfRows() {
        return "";
    }

    /**
     * Whether a transaction excludes all other writes from its beginning on. If so, no row is locked, and each batch with a
     * release removes a few idle rows; otherwise a thread removes them.
     */
    default boolean excludesAllWrites() {
        return false;
    }

    /**
     * A namespace or a name as a column holds it: its bytes in UTF-8, as collations fold case and ignore blanks at the end. Their
     * order must be that of the bytes.
     */
    default Object toColumn(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** The name in a column. */
    default String fromColumn(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    /**
     * Limits the waits of a call's statements: for each reply over the network, and for each lock. The default limits only the
     * network.
     *
     * @return what restores the connection; run only if the connection is the application's and is still open
     */
    default Restoration limitWaiting(Session session) throws SQLException {
        Connection connection = session.connection();
        int before = session.isApplications() ? connection.getNetworkTimeout() : 0;
        Connections.limitSilence(connection, session.deadline());
        return () -> connection.setNetworkTimeout(Runnable::run, before);
    }

    /**
     * Limits the waits of polls, which run in autocommit mode, as {@link #limitWaiting} does. The session may be silent
     * between two polls for any length of time.
     *
     * @return what restores the connection; run only if the connection is the application's and is still open
     */
    default Restoration limitPolls(Session session) throws SQLException {
        return limitWaiting(session);
    }

    /** Begins a transaction. The isolation is READ COMMITTED, unless the transaction excludes all other writes. */
    default void begin(Connection connection, Statement statement) throws SQLException {
        connection.setAutoCommit(false);
    }

    /** Commits the transaction, durably; afterwards the connection is in autocommit mode. */
    default void commit(Connection connection, Statement statement) throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    /** Rolls the transaction back; afterwards the connection is in autocommit mode. */
    default void rollBack(Connection connection, Statement statement) throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
    }

    /**
     * Whether one call of the driver sends several statements, separated by semicolons, on connections that the type has opened.
     * If so, {@link #beginSeveral} and {@link #commitSeveral} travel with the other statements there, instead of {@link #begin} and
     * {@link #commit}; an error must prevent the execution of the statements after it.
     */
    default boolean sendsSeveral(Connection connection) throws SQLException {
        return false;
    }

    /** The statements that begin a transaction. */
    default List<String> beginSeveral(Connection connection) throws SQLException {
        return List.of("START TRANSACTION");
    }

    /** The statements that commit a transaction. */
    default List<String> commitSeveral(Connection connection) throws SQLException {
        return List.of("COMMIT");
    }

    /** Runs the task, which creates the tables, while no other thread or process does. */
    void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException;

    /** See {@link dev.holdfast.lock.jdbc.schema.DatabaseSchema#schemaLockLimit}. */
    default Optional<SchemaLockLimit> schemaLockLimit() {
        return Optional.empty();
    }

    /**
     * Creates a poll that detects, without reading the tables, that nothing has changed since it last read them. By default
     * each poll reads them.
     */
    default TurnPoller.Poll poll(JdbcUrl url, Connections connections) throws SQLException {
        return TurnPoller.Poll.on(connections, this);
    }

    /**
     * The pause between two polls while locks change hands: the longest delay until the next process learns of the end of a
     * turn.
     */
    default Duration notificationDelay() {
        return Duration.ofMillis(TurnPoller.Poll.MIN_PAUSE_MILLIS);
    }

    /** Findings about the server and its settings that weaken a guarantee. */
    List<Finding> diagnose(Connection connection, JdbcUrl url) throws SQLException;
}
