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

/** The rows of one namespace in the table of one kind of database. */
final class FenceTable {

    /** The name of the table in the SQL files. */
    static final String DEFAULT_NAME = "holdfast_fence";

    private static final String DUPLICATE_KEY = "23505";
    private static final String SERIALIZATION_FAILURE = "40001";
    /** How often a first entry in H2 may meet another one; in a snapshot it never sees the other row. */
    private static final int ATTEMPTS = 3;
    /** A fencing token is the token of a store times this, plus the number of the hand-off within the process. */
    private static final int TOKENS_PER_STORE_TOKEN = 256;

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
            throw stale(name, token, number(connection, "read-token", values));
        }
        if (entries == 1) {
            ensureNotPruned(name, token, floor(connection, values));
        }
    }

    private void upsertAndRead(Connection connection, String name, long token, Map<String, Object> values)
            throws SQLException {
        update(connection, "raise", values);
        try (PreparedStatement statement = prepare(connection, "read-row", values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getLong(1) > token) {
                throw stale(name, token, row.getLong(1));
            }
            if (row.getLong(2) == 1) {
                ensureNotPruned(name, token, row.getLong(3));
            }
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
                throw stale(name, token, greatest);
            }
            try {
                update(connection, "insert", values);
                ensureNotPruned(name, token, floor(connection, values));
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

    /** The floor; read after the row was inserted, so that the pruning which removed an earlier row is visible. */
    private long floor(Connection connection, Map<String, Object> values) throws SQLException {
        Long floor = number(connection, "read-floor", values);
        if (floor == null && database == FenceDatabase.POSTGRESQL) {
            // A row that a snapshot may be too old for can be locked only if it exists.
            createFloor(connection, values);
            floor = number(connection, "read-floor", values);
        }
        return floor == null ? 0 : floor;
    }

    /** Creates the row of the floor if it is missing. */
    void createFloor(Connection connection, Map<String, Object> values) throws SQLException {
        try {
            update(connection, "create-floor", values);
        } catch (SQLException e) {
            if (database != FenceDatabase.H2 || !DUPLICATE_KEY.equals(e.getSQLState())) {
                throw e;
            }
            // H2 has no insert that ignores a row of another transaction; only this statement was rolled back
        }
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

    private static void ensureNotPruned(String name, long token, long floor) {
        if (token < floor) {
            throw new StaleLeaseException("the lease of '" + name + "' with fencing token " + token
                    + " may be stale: rows of idle locks with tokens up to " + floor + " were pruned, perhaps its own."
                    + " Roll the transaction back and acquire the lock again" + floorAdvice(floor));
        }
    }

    private static StaleLeaseException stale(String name, long token, @Nullable Long greatest) {
        return new StaleLeaseException("the lease of '" + name + "' with fencing token " + token
                + " is stale: a later holder has entered"
                + (greatest == null
                        ? ". Roll the transaction back and acquire the lock again"
                        : " with token " + greatest + ". Roll the transaction back and acquire the lock again"
                                + floorAdvice(greatest)));
    }

    private static String floorAdvice(long greatest) {
        return "; if the application moved to a store whose tokens begin lower, set lock.token-floor="
                + greatest / TOKENS_PER_STORE_TOKEN;
    }

    private static boolean isMissingTable(SQLException e) {
        return switch (String.valueOf(e.getSQLState())) {
            case "42P01", "42S02", "42S03", "42S04" -> true;
            default -> String.valueOf(e.getMessage()).contains("no such table");
        };
    }

    private SQLException missingTable(SQLException e) {
        return new SQLSyntaxErrorException(
                "the table " + table
                        + " of the fence is missing in this database: add the script dev/holdfast/lock/fencing/"
                        + database.folder()
                        + "/table.sql to the application's migrations, or call Fence.createTable once",
                e.getSQLState(),
                e.getErrorCode(),
                e);
    }
}
