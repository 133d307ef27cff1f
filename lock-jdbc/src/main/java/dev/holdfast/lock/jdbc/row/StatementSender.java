package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.row.NamedStatements.Bound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends the statements of a transaction. Where the driver can send several in one round trip, the beginning of the transaction
 * travels with the first query, and writes travel with the next query or with the commit. All take effect in their order.
 */
final class StatementSender {

    /** So many writes fit into a small packet. */
    private static final int MAX_PENDING = 8;

    private final Connection connection;
    private final NamedStatements statements;
    private final boolean sendsSeveral;
    private final List<Bound> pending = new ArrayList<>();

    /** @param sendsSeveral whether one call of the driver may send several statements */
    StatementSender(Connection connection, NamedStatements statements, boolean sendsSeveral) {
        this.connection = connection;
        this.statements = statements;
        this.sendsSeveral = sendsSeveral;
    }

    /** Begins a transaction. */
    void begin(Dialect dialect, Statement statement) throws SQLException {
        if (sendsSeveral) {
            pending.add(new Bound("START TRANSACTION", List.of(), false));
        } else {
            dialect.begin(connection, statement);
        }
    }

    /** Commits the transaction, with what has not been sent yet. */
    void commit(Dialect dialect, Statement statement) throws SQLException {
        if (sendsSeveral) {
            update(new Bound("COMMIT", List.of(), false));
        } else {
            dialect.commit(connection, statement);
        }
    }

    /** Reads the result of a query. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    <T> T query(String name, Map<String, ?> parameters, Reader<T> reader) throws SQLException {
        try (PreparedStatement statement = send(statements.bind(name, parameters));
                ResultSet rows = statement.getResultSet()) {
            return reader.read(rows);
        }
    }

    /** Reads the first row of a query's result; null if there is none. */
    <T> @Nullable T find(String name, Map<String, ?> parameters, Reader<T> reader) throws SQLException {
        try (PreparedStatement statement = send(statements.bind(name, parameters));
                ResultSet row = statement.getResultSet()) {
            return row.next() ? reader.read(row) : null;
        }
    }

    /** Returns how many rows it has changed or, as some drivers count, found. */
    int update(String name, Map<String, ?> parameters) throws SQLException {
        return update(statements.bind(name, parameters));
    }

    private int update(Bound last) throws SQLException {
        try (PreparedStatement statement = send(last)) {
            return statement.getUpdateCount();
        }
    }

    /** A write whose number of rows is not needed; it may be sent later. */
    void write(String name, Map<String, ?> parameters) throws SQLException {
        write(statements.bind(name, parameters));
    }

    /** The same, of a row that is there: the transaction fails if it is not. */
    void writeExisting(String name, Map<String, ?> parameters) throws SQLException {
        write(statements.bind(name, parameters).ofExistingRow());
    }

    private void write(Bound write) throws SQLException {
        if (sendsSeveral && pending.size() < MAX_PENDING) {
            pending.add(write);
        } else {
            update(write);
        }
    }

    /** Sends what is pending and the last statement, whose result is the current one of the statement returned. */
    private PreparedStatement send(Bound last) throws SQLException {
        List<Bound> all = new ArrayList<>(pending);
        all.add(last);
        pending.clear();
        PreparedStatement statement = Bound.prepare(connection, all);
        try {
            statement.execute();
            for (int index = 0; index < all.size(); index++) {
                if (index > 0) {
                    statement.getMoreResults();
                }
                if (all.get(index).isOfExistingRow() && statement.getUpdateCount() == 0) {
                    throw new SQLException("the row of a lock is not there, though it is locked");
                }
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }
}
