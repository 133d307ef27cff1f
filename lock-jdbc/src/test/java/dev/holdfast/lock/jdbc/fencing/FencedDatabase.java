package dev.holdfast.lock.jdbc.fencing;

import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.h2.engine.Constants;
import org.junit.jupiter.params.provider.Arguments;

/** The databases that a fence is tested on. */
enum FencedDatabase {
    POSTGRESQL(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE) {
        @Override
        String newUrl(Path directory) throws SQLException {
            return PostgresServer.shared().newDatabase();
        }

        @Override
        Connection connect(String url) throws SQLException {
            return PostgresServer.shared().connect(url);
        }
    },
    MARIADB(
            "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"
                    + " AND command = 'Query' AND time_ms > 100 AND info LIKE '%holdfast_fence%'",
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE) {
        @Override
        String newUrl(Path directory) throws SQLException {
            return MariaDbServer.shared().newDatabase();
        }

        @Override
        Connection connect(String url) throws SQLException {
            return MariaDbServer.shared().connect(url);
        }
    },
    MYSQL(
            "SELECT count(*) FROM performance_schema.data_lock_waits w JOIN performance_schema.data_locks l"
                    + " ON l.engine_lock_id = w.requesting_engine_lock_id WHERE l.object_schema = database()",
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE) {
        @Override
        String newUrl(Path directory) throws SQLException {
            return MariaDbServer.sharedMySql().newDatabase();
        }

        @Override
        Connection connect(String url) throws SQLException {
            return MariaDbServer.sharedMySql().connect(url);
        }
    },
    /** It tries a statement that waits for an insertion again and again, and has no lock for it to show. */
    H2(
            "SELECT count(*) FROM information_schema.sessions WHERE session_id <> session_id()"
                    + " AND executing_statement_start < DATEADD(MILLISECOND, -100, CURRENT_TIMESTAMP)"
                    + " AND executing_statement LIKE '%holdfast_fence%'",
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Constants.TRANSACTION_SNAPSHOT,
            Connection.TRANSACTION_SERIALIZABLE) {
        @Override
        String newUrl(Path directory) {
            return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=180000";
        }
    },
    /** With its log beside the file, as most applications have it; a file cannot tell that a connection waits. */
    SQLITE("", Connection.TRANSACTION_SERIALIZABLE) {
        @Override
        String newUrl(Path directory) {
            return "jdbc:sqlite:" + directory.resolve(UUID.randomUUID().toString())
                    + "?journal_mode=WAL&synchronous=OFF&busy_timeout=180000";
        }
    };

    private static final String ONLY = "lock.test.fence";

    /** MySQL's default, and the one that its guides recommend for many writers. */
    private static final Set<Integer> MOSTLY_USED =
            Set.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ);

    private final String waiting;

    @SuppressWarnings("ImmutableEnumChecker") // it is a copy
    private final List<Integer> isolations;

    FencedDatabase(String waiting, Integer... isolations) {
        this.waiting = waiting;
        this.isolations = List.of(isolations);
    }

    /** Each database, or the one that {@code -Dlock.test.fence} names. */
    static Stream<FencedDatabase> each() {
        String only = System.getProperty(ONLY);
        return only == null ? Stream.of(values()) : Stream.of(valueOf(only));
    }

    /** Each database at each of its isolation levels; MySQL, which locks as MariaDB does, at all of them in a long build only. */
    static Stream<Arguments> atEachIsolation() {
        return each().flatMap(each -> each.isolations.stream()
                .filter(level -> each != MYSQL || isWhole() || MOSTLY_USED.contains(level))
                .map(level -> Arguments.of(each, level)));
    }

    private static boolean isWhole() {
        return System.getProperty(ONLY) != null || Integer.getInteger("lock.test.scale", 1) > 1;
    }

    /** Those in which transactions under different locks run at once, at each of their isolation levels. */
    static Stream<Arguments> concurrentAtEachIsolation() {
        return atEachIsolation().filter(each -> each.get()[0] != SQLITE);
    }

    /**
     * Each that may be contended, at each of its isolation levels. Without H2 at READ UNCOMMITTED: a statement there may read the
     * entry of an index whose row another transaction is removing, and H2 repeats the statement until its lock timeout.
     */
    static Stream<Arguments> contendedAtEachIsolation() {
        return atEachIsolation()
                .filter(each -> each.get()[0] != H2 || !each.get()[1].equals(Connection.TRANSACTION_READ_UNCOMMITTED));
    }

    /** Of these, those in which transactions under the same locks run at once. */
    static Stream<Arguments> contendedAtOnceAtEachIsolation() {
        return contendedAtEachIsolation().filter(each -> each.get()[0] != SQLITE);
    }

    /** Whether a transaction is refused (40001) if another has written what it writes since its snapshot. */
    boolean refusesOldSnapshots(int isolation) {
        return (this == POSTGRESQL || this == H2) && isolation > Connection.TRANSACTION_READ_COMMITTED;
    }

    /**
     * Whether a second entry of a transaction failed, as another has written what it writes since its snapshot. MariaDB 11.8, whose
     * transactions have {@code innodb_snapshot_isolation}, has one in SERIALIZABLE.
     */
    boolean isOldSnapshot(SQLException e, int isolation) {
        return this == MARIADB
                ? isolation == Connection.TRANSACTION_SERIALIZABLE && e.getErrorCode() == 1020
                : refusesOldSnapshots(isolation) && "40001".equals(e.getSQLState());
    }

    /** Whether a first entry shares the lock on the floor until its transaction ends, so that pruning passes over it. */
    boolean sharesTheFloor(int isolation) {
        return isMariaDbOrMySql() && isolation > Connection.TRANSACTION_READ_COMMITTED;
    }

    /**
     * Those in which a first entry waits for no transaction under another lock. Without MySQL 8.0.15 above READ COMMITTED: an entry
     * there locks the gap before a row that it raises, for first entries under names in the gap.
     */
    static Stream<Arguments> independentAtEachIsolation() {
        return concurrentAtEachIsolation()
                .filter(each -> each.get()[0] != MYSQL
                        || (int) each.get()[1] <= Connection.TRANSACTION_READ_COMMITTED
                        || !MariaDbServer.sharedMySql().version().startsWith("8.0.15"));
    }

    /** Whether it is one of the two, which lock as the other does. */
    boolean isMariaDbOrMySql() {
        return this == MARIADB || this == MYSQL;
    }

    /** An empty database. */
    abstract String newUrl(Path directory) throws SQLException;

    /** A database with the table of the fence, and one account whose balance is 100. */
    String newBank(Path directory, Fence fence) throws SQLException {
        String url = newUrl(directory);
        try (Connection connection = connect(url);
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)");
            statement.execute("INSERT INTO account VALUES (1, 100)");
        }
        return url;
    }

    /** The number in the first column of the first row. */
    static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    /** A connection in auto-commit mode. */
    Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url);
    }

    /** A connection with transactions at an isolation level. */
    Connection connect(String url, int isolation) throws SQLException {
        Connection connection = connect(url);
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Whether it can tell that a statement waits for a lock. */
    boolean showsWaiting() {
        return !waiting.isEmpty();
    }

    /** Waits until a statement waits for a lock, where the database can tell, or until the work is done. */
    void awaitWaiting(String url, Future<?> work) throws SQLException {
        awaitWaiting(url, work::isDone);
    }

    /** Waits until a statement waits for a lock, where the database can tell, or until the condition holds. */
    void awaitWaiting(String url, BooleanSupplier orElse) throws SQLException {
        if (!showsWaiting()) {
            return;
        }
        try (Connection connection = connect(url);
                Statement statement = connection.createStatement()) {
            Await.until(
                    "a statement waits", () -> orElse.getAsBoolean() || RowDatabase.blocked(statement, waiting) > 0);
        }
    }
}
