package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A transaction in which each statement sees what was committed before it began; or one that excludes all other writes. */
abstract class RowTransaction<T> implements Connections.Work<T> {

    private final Dialect dialect;
    private final NamedStatements statements;
    private final Connections connections;
    private final Deadline deadline;

    /**
     * @param connections if they are the application's, their settings may be others, and are restored
     * @param deadline for each wait, for the database or for another transaction
     */
    RowTransaction(Dialect dialect, NamedStatements statements, Connections connections, Deadline deadline) {
        this.dialect = dialect;
        this.statements = statements;
        this.connections = connections;
        this.deadline = deadline;
    }

    /**
     * Runs within the transaction.
     *
     * @param restart ends it, if nothing was written, and begins another one
     */
    abstract T execute(StatementSender sender, LockedRows.Restart restart) throws SQLException;

    @Override
    public final T on(Connection connection) throws SQLException {
        return new LimitedCall<>(dialect, connections, deadline, this::commitInReadCommitted).on(connection);
    }

    /** The isolation of the store's own connections, and of transactions that exclude all other writes, is right. */
    private T commitInReadCommitted(Connection connection) throws SQLException {
        int isolation = connections.areApplications() && !dialect.excludesAllWrites()
                ? connection.getTransactionIsolation()
                : Connection.TRANSACTION_READ_COMMITTED;
        if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
            return commit(connection);
        }
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return Restoration.after(this::commit, connection, () -> connection.setTransactionIsolation(isolation));
    }

    private T commit(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            StatementSender sender = new StatementSender(
                    connection, statements, !connections.areApplications() && dialect.sendsSeveral(connection));
            sender.begin(dialect, statement);
            try {
                T result = execute(sender, () -> sender.restart(dialect, statement));
                sender.commit(dialect, statement);
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(connection, statement, e);
                throw e;
            }
        }
    }

    /** Rolls back even after an error that ended only a statement, such as MySQL's lock wait timeout: its locks would stay. */
    private void rollBack(Connection connection, Statement statement, Throwable reason) {
        try {
            dialect.rollBack(connection, statement);
        } catch (SQLException e) {
            reason.addSuppressed(e);
            try {
                connection.abort(Runnable::run); // it must not be used again with an open transaction
            } catch (SQLException closing) {
                reason.addSuppressed(closing);
            }
        }
    }
}
