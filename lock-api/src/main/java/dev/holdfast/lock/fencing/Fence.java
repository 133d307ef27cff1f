package dev.holdfast.lock.fencing;

import dev.holdfast.lock.HeldLocks;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Serializes the transactions under a lock in the order of their fencing tokens, whichever store granted the lock, even if a lease
 * is lost without its holder's knowledge: a process was paused, or a store has forgotten the grant.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire(); Connection connection = dataSource.getConnection()) {
 *     connection.setAutoCommit(false);
 *     fence.enter(connection, lease);   // first, before anything is read
 *     …
 *     connection.commit();
 * }
 * }</pre>
 *
 * <p>A table in the application's own database has a row for each lock, with the greatest token that has entered. {@code enter}
 * raises the row to the token of the lease, and keeps it locked until the transaction ends. It writes no other row, so transactions
 * under different locks never wait for each other. A later holder waits there for an earlier one, and reads after it. An earlier
 * holder that arrives after a later one gets a {@link StaleLeaseException}, and its transaction rolls back.
 *
 * <p>The promise holds under these conditions:
 *
 * <ul>
 *   <li>Every transaction that the lock guards enters, and enters <em>first</em>: data that it has read before, or keeps from
 *       earlier transactions, may be older than what the previous holder wrote. No fence can detect that in general.
 *   <li>The transaction is not rolled back to a savepoint before {@code enter}, which would release the row.
 *   <li>All guarded data is in the database of the fence. Each further database needs a fence of its own.
 * </ul>
 *
 * <p>It supports PostgreSQL, MariaDB, MySQL, H2 and SQLite at every isolation level, and recognizes the database of a connection
 * without asking the server. From REPEATABLE READ on, PostgreSQL and H2 refuse a transaction that had to wait with a serialization
 * failure (SQLState 40001 in PostgreSQL); it can be repeated under the same lease. {@code enter} waits for as long as the lock
 * timeout of the database allows.
 *
 * <p>Immutable and thread-safe; one object serves an application.
 */
public final class Fence {

    private static final String DEFAULT_NAMESPACE = "default";
    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
    private static final Pattern TABLE = Pattern.compile(IDENTIFIER + "(\\." + IDENTIFIER + "){0,2}");
    private static final Pattern END_OF_STATEMENT = Pattern.compile(";\\s*(\n|$)");

    /** SQLStates of PostgreSQL; of MariaDB, MySQL and H2; of H2 with names that are alike, or without any table. */
    private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");

    private final String table;
    private final Namespace namespace;
    private final Map<FenceDatabase, FenceTable> tables = new ConcurrentHashMap<>();
    private final FenceRefusals refusals = new FenceRefusals(System::nanoTime);

    private Fence(String table, Namespace namespace) {
        this.table = table;
        this.namespace = namespace;
    }

    /** A fence with the table {@code holdfast_fence} and the namespace {@code default}. */
    public static Fence create() {
        return new Fence(FenceTable.DEFAULT_NAME, new Namespace(DEFAULT_NAMESPACE));
    }

    /**
     * The same fence with another table.
     *
     * @param name an SQL name without quotes, which a schema may precede: {@code app.fence}
     * @throws IllegalArgumentException if it is something else
     */
    public Fence withTable(String name) {
        if (!TABLE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a fence table has only letters, digits and '_', and may have a schema: '" + name
                            + "'");
        }
        return new Fence(name, namespace);
    }

    /**
     * The same fence with rows of its own. Two locks of the same name that do not exclude each other, because they are in two
     * namespaces or two stores, must not share a row: their tokens are unrelated.
     *
     * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}; the {@code lock.namespace} of the locks is a good choice
     * @throws IllegalArgumentException if it is something else
     */
    public Fence withNamespace(String name) {
        return new Fence(table, new Namespace(name));
    }

    /**
     * Enters a transaction under a lease, or under all leases of a group, as its first statements; the leases of a group enter in
     * an order that is the same everywhere. A lease may enter several transactions, one after the other or at once; they are
     * serial, too. Entering twice in one transaction does no harm. An application that enters single leases one after the other in
     * one transaction must keep such an order itself, or the database will occasionally report a deadlock.
     *
     * <p>After any exception the transaction must be rolled back. A refused lease changes nothing even if it is not, but keeps the
     * row of the lock locked until the transaction ends.
     *
     * @param connection in a transaction: with auto-commit off
     * @param locks the held locks
     * @throws StaleLeaseException if a later holder of one of the locks has entered
     * @throws LockLostException if this process already knows that one of them is lost; the database is not called then
     * @throws IllegalStateException if the connection is in auto-commit mode, or the locks were released
     * @throws SQLException from the database: a lock timeout, a deadlock, a serialization failure, a missing table
     */
    public void enter(Connection connection, HeldLocks locks) throws SQLException {
        ensureTransaction(connection);
        locks.ensureHeld();
        List<LockName> names =
                locks.names().stream().map(LockName::new).distinct().sorted().toList();
        for (LockName name : names) {
            raise(connection, name.value(), locks.fencingToken(name.value()));
        }
    }

    /**
     * Enters a transaction under a lease that is known only by its name and token: from the environment of a command of
     * {@code lock run}, or from a message.
     *
     * @param connection in a transaction: with auto-commit off
     * @param name of the lock
     * @param fencingToken of the lease, positive
     * @throws StaleLeaseException if a later holder has entered
     * @throws IllegalArgumentException if the name is not that of a lock, or the token is not positive
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws SQLException as for a lease
     */
    public void enter(Connection connection, String name, long fencingToken) throws SQLException {
        ensureTransaction(connection);
        raise(connection, new LockName(name).value(), fencingToken);
    }

    /**
     * Creates the tables of the fence if they do not exist, and the floor of this namespace. An application with migrations takes the
     * script instead: the resource {@code table.sql} in {@code dev/holdfast/lock/fencing/}, in the folder {@code postgresql},
     * {@code mysql}, {@code h2} or {@code sqlite}. Several processes may call this at once, and a user without the right to create
     * tables may call it if they exist.
     *
     * @param connection in auto-commit mode, as some databases commit when a table is created
     * @throws IllegalStateException if the connection is not in auto-commit mode
     * @throws SQLException from the database, typically because of a missing right
     */
    public void createTable(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the tables of the fence must be created outside a transaction, as some databases"
                            + " commit then: use a connection in auto-commit mode");
        }
        FenceDatabase database = FenceDatabase.of(connection);
        String script = FenceTable.inTable(database.read("table.sql"), table);
        try (Statement statement = connection.createStatement()) {
            SQLException failure = null;
            for (String each : END_OF_STATEMENT.splitAsStream(script).toList()) {
                try {
                    statement.execute(each);
                } catch (SQLException e) { // maybe another process was faster, or the user may only use the tables
                    failure = failure == null ? e : failure;
                }
            }
            if (failure != null && !exist(statement)) {
                throw failure;
            }
        }
        table(database).createFloor(connection);
    }

    /**
     * Whether the tables of the fence exist, for an application that checks at startup what its first transaction will need.
     *
     * @param connection outside of a transaction, which a missing table would abort in PostgreSQL
     * @throws SQLException from the database: a missing right, or no answer
     */
    public boolean isInstalled(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery(reading()).close();
            return true;
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            boolean isMissing = NO_TABLE.contains(state)
                    || String.valueOf(e.getMessage()).contains("no such table"); // SQLite has no state for it
            if (isMissing) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Removes the rows of locks under which no transaction has entered for some time. Their greatest token is kept as a floor, in
     * one row for the namespace: a lease without a row is refused if its token is below the floor. So pruning a row lets no older
     * token in. A lease from before the idle time that has not entered since may be refused unnecessarily; choose a time longer
     * than any lease is held, such as a week.
     *
     * <p>The floor covers all names, and tokens of two names are comparable only as times. Those of Holdfast's stores are times, in
     * units of a 256th of a microsecond. A row whose token is not as old as the idle time stays: a composite's tokens run ahead of the
     * clock after a failover, and another store may count the grants of each name from 1, and its rows are never pruned. If a
     * lease is refused nevertheless, its {@link StaleLeaseException} names the {@code lock.token-floor} that helps.
     *
     * <p>An application that keeps using new names calls it regularly, from a scheduled job. Several processes may call it at once. It does
     * not wait for transactions that have entered, and passes over the rows that they have locked. In MariaDB and MySQL a first
     * entry in REPEATABLE READ or SERIALIZABLE shares the lock on the floor until its transaction ends; a call that meets one stops
     * there, and the next call continues.
     *
     * @param connection in auto-commit mode; it commits every 200 rows, in READ COMMITTED. Its isolation level is restored
     * @param idle the time for which no transaction has entered, by the database's clock; at least a millisecond
     * @return the number of rows removed
     * @throws IllegalArgumentException if the time is shorter
     * @throws IllegalStateException if the connection is not in auto-commit mode: the rows and the floor would stay locked until
     *     the caller's transaction ends
     * @throws SQLException from the database
     */
    public int prune(Connection connection, Duration idle) throws SQLException {
        if (idle.toMillis() <= 0) {
            throw new IllegalArgumentException("the idle time must be at least a millisecond: " + idle);
        }
        if (!connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the fence is pruned in short transactions of its own, for which other transactions"
                            + " may have to wait: use a connection in auto-commit mode");
        }
        return new FencePruning(table(FenceDatabase.of(connection)), idle).run(connection);
    }

    private void raise(Connection connection, String name, long token) throws SQLException {
        if (token <= 0) {
            throw new IllegalArgumentException("the fencing token of '" + name + "' must be positive: " + token);
        }
        try {
            table(FenceDatabase.of(connection)).raise(connection, name, token);
        } catch (StaleLeaseException e) {
            refusals.log(e);
            throw e;
        }
    }

    private static void ensureTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in auto-commit mode, in which the fence would end with its own"
                            + " statement: call setAutoCommit(false), or enter within a transaction");
        }
    }

    private FenceTable table(FenceDatabase database) {
        return tables.computeIfAbsent(database, found -> new FenceTable(found, table, namespace));
    }

    private String reading() {
        return "SELECT 1 FROM " + table + ", " + table + "_floor WHERE 1 = 0";
    }

    private boolean exist(Statement statement) {
        try {
            statement.executeQuery(reading()).close();
            return true;
        } catch (SQLException e) {
            return false;
        }
    }
}
