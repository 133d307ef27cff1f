package dev.holdfast.lock.fencing;

import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransactionRollbackException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of one namespace in the tables of one kind of database. */
final class FenceTable {

    /** The name of the table in the SQL files. */
    static final String DEFAULT_NAME = "holdfast_fence";

    private static final String IN_SPRING = " (in a Spring application holdfast.token-floor)";
    private static final String DUPLICATE_KEY = "23505";
    private static final String SERIALIZATION_FAILURE = "40001";
    /** Attempts of a first entry in H2 that meets another one; in a snapshot it never sees the other row. */
    private static final int ATTEMPTS = 3;
    /** A fencing token is the token of a store times this, plus the number of the hand-off within the process. */
    private static final int TOKENS_PER_STORE_TOKEN = 256;

    private static final String AGAIN = " Roll the transaction back and acquire the lock again";

    private final FenceDatabase database;
    private final String table;
    private final Namespace namespace;
    private final Map<String, FenceStatement> statements;

    FenceTable(FenceDatabase database, String table, Namespace namespace) {
        this.database = database;
        this.table = table;
        this.namespace = namespace;
        this.statements = FenceStatement.parseAll(inTable(database.read("statements.sql"), table));
    }

    /** The SQL text of a file, for a table of this name. */
    static String inTable(String sql, String table) {
        return sql.replace(DEFAULT_NAME, table);
    }

    /**
     * Raises the row of a name to a token, and keeps it locked until the transaction ends.
     *
     * @throws StaleLeaseException if the row has a greater token, or is missing and may have had one
     */
    void raise(Connection connection, String name, long token) throws SQLException {
        Map<String, Object> values = values(name, token);
        try {
            switch (database) {
                case POSTGRESQL, SQLITE -> upsert(connection, name, token, values);
                case MYSQL -> upsertAndRead(connection, name, token, values);
                case H2 -> updateOrInsert(connection, name, token, values);
            }
        } catch (SQLException e) {
            throw isMissingTable(e) ? missingTable(e) : e;
        }
    }

    private void upsert(Connection connection, String name, long token, Map<String, Object> values)
            throws SQLException {
        Long entries = number(connection, "raise", values);
        if (entries == null) {
            throw stale(connection, name, token, number(connection, "read-token", values), values);
        }
        if (entries == 1) {
            ensureNotPruned(connection, name, token, values);
        }
    }

    private void upsertAndRead(Connection connection, String name, long token, Map<String, Object> values)
            throws SQLException {
        update(connection, "raise", values);
        long greatest;
        long entries;
        try (PreparedStatement statement = prepare(connection, "read-row", values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            greatest = row.getLong(1);
            entries = row.getLong(2);
        }
        if (greatest > token) {
            throw stale(connection, name, token, greatest, values);
        }
        if (entries == 1) {
            ensureNotPruned(connection, name, token, values);
        }
    }

    private void updateOrInsert(Connection connection, String name, long token, Map<String, Object> values)
            throws SQLException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (update(connection, "update", values) == 1) {
                return;
            }
            Long greatest = number(connection, "read-token", values);
            if (greatest != null && greatest > token) {
                throw stale(connection, name, token, greatest, values);
            }
            try {
                update(connection, "insert", values);
                ensureNotPruned(connection, name, token, values);
                return;
            } catch (SQLException e) {
                if (!DUPLICATE_KEY.equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
        throw new SQLTransactionRollbackException(
                "another transaction has entered under '" + name
                        + "' since the snapshot of this one; repeat the transaction",
                SERIALIZATION_FAILURE);
    }

    /**
     * Refuses a first entry whose token is below the floor, and removes its row again. The floor is read after the row is inserted:
     * the insertion waits for a pruning that removes an earlier row, and then the floor that this pruning raised is found.
     */
    private void ensureNotPruned(Connection connection, String name, long token, Map<String, Object> values)
            throws SQLException {
        boolean isShared = database == FenceDatabase.MYSQL
                && connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED;
        Long floor = number(connection, isShared ? "read-floor-shared" : "read-floor", values);
        if (floor != null && token < floor) {
            update(connection, "delete", values);
            throw new StaleLeaseException("the lease of '" + name + "' with fencing token " + token
                    + " may be stale: rows of idle locks with tokens up to " + floor + " were pruned, perhaps its own."
                    + AGAIN + floorAdvice(connection, floor, values));
        }
    }

    private StaleLeaseException stale(
            Connection connection, String name, long token, @Nullable Long greatest, Map<String, Object> values)
            throws SQLException {
        return new StaleLeaseException("the lease of '" + name + "' with fencing token " + token
                + " is stale: a later holder has entered"
                + (greatest == null
                        ? "." + AGAIN
                        : " with token " + greatest + "." + AGAIN + floorAdvice(connection, greatest, values)));
    }

    /** Advice for a move to another store. All rows of the namespace count, as each of its locks would be refused in turn. */
    private String floorAdvice(Connection connection, long known, Map<String, Object> values) throws SQLException {
        // There, any reading of other rows would lock them.
        boolean locks = database == FenceDatabase.MYSQL
                && connection.getTransactionIsolation() == Connection.TRANSACTION_SERIALIZABLE;
        Long greatest = locks ? null : number(connection, "read-greatest", values);
        String setting = "; if the application moved to a store whose tokens begin lower, set lock.token-floor=";
        return greatest == null
                ? setting + known / TOKENS_PER_STORE_TOKEN + " or higher, above all tokens of the namespace '"
                        + namespace.value() + "' in " + table + IN_SPRING
                : setting + Math.max(known, greatest) / TOKENS_PER_STORE_TOKEN
                        + ", which is that of the greatest token of the namespace '" + namespace.value() + "'"
                        + IN_SPRING;
    }

    /** Creates the floor of the namespace if it is missing, on a connection in auto-commit mode. */
    void createFloor(Connection connection) throws SQLException {
        try {
            update(connection, "create-floor", values("", 0));
        } catch (SQLException e) {
            if (database != FenceDatabase.H2 || !DUPLICATE_KEY.equals(e.getSQLState())) {
                throw e;
            }
            // H2 has no insert that ignores a row of another transaction
        }
    }

    /** Whether the database has READ COMMITTED. */
    boolean isReadCommitted() {
        return database != FenceDatabase.SQLITE;
    }

    int update(Connection connection, String step, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, step, values)) {
            return statement.executeUpdate();
        }
    }

    /** The number in the first row; null if there is none. */
    @Nullable
    Long number(Connection connection, String step, Map<String, Object> values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, step, values);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    PreparedStatement prepare(Connection connection, String step, Map<String, Object> values) throws SQLException {
        return statement(step).prepare(connection, values);
    }

    FenceStatement statement(String step) {
        FenceStatement statement = statements.get(step);
        if (statement == null) {
            throw new IllegalStateException("the SQL of " + database + " lacks " + step);
        }
        return statement;
    }

    /** The parameters of the statements about a name. */
    Map<String, Object> values(String name, long token) {
        Map<String, Object> values = new HashMap<>();
        values.put("namespace", database.name(namespace.value()));
        values.put("name", database.name(name));
        values.put("token", token);
        return values;
    }

    private static boolean isMissingTable(SQLException e) {
        return switch (String.valueOf(e.getSQLState())) {
            case "42P01", "42S02", "42S03", "42S04" -> true;
            default -> String.valueOf(e.getMessage()).contains("no such table");
        };
    }

    private SQLException missingTable(SQLException e) {
        return new SQLSyntaxErrorException(
                "the table " + table + " of the fence, or " + table
                        + "_floor, is missing in this database: add the script dev/holdfast/lock/fencing/"
                        + database.folder()
                        + "/table.sql to the application's migrations, or call Fence.createTable once",
                e.getSQLState(),
                e.getErrorCode(),
                e);
    }
}
