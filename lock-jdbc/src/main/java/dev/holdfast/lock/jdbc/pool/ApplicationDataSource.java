package dev.holdfast.lock.jdbc.pool;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/** The application's own data source, with its pool and its settings. Handing out a connection may take any length of time. */
public final class ApplicationDataSource implements Connections {

    private static final int MAX_THREADS = 8;

    private static final String SILENT = "the database took too long";

    private static final String NO_CONNECTION =
            "the application's data source handed out no connection in time: all are in use,"
                    + " or its pool is too small (it needs at least two)";

    private final DataSource source;
    private final StoreThreads threads = new StoreThreads(MAX_THREADS);
    private volatile ErrorClasses errors = ErrorClasses::byState;

    /** @param source never closed here */
    public ApplicationDataSource(DataSource source) {
        this.source = source;
    }

    @Override
    public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
        return threads.run(deadline, NO_CONNECTION, wait -> {
            Connection connection = source.getConnection();
            try {
                wait.ensureAwaited(); // getting the connection may have taken long
                wait.enter(SILENT);
                return connection.getAutoCommit() ? work.on(connection) : workInAutoCommit(connection, work);
            } finally {
                Restoration.giveBack(connection);
            }
        });
    }

    private static <T> T workInAutoCommit(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(true);
        return Restoration.after(work, connection, () -> connection.setAutoCommit(false));
    }

    /** Runs on a thread without a transaction of the application: some data sources hand out the connection of that transaction. */
    @Override
    public <T> T runApart(Deadline deadline, Callable<T> task) throws SQLException {
        return threads.run(deadline, SILENT + ", or " + NO_CONNECTION, task);
    }

    /** The schema that the application's pool sets on each connection; empty if it sets none, or is of an unknown kind. */
    public Optional<String> schema() {
        return source instanceof HikariDataSource pool ? Optional.ofNullable(pool.getSchema()) : Optional.empty();
    }

    @Override
    public DataSource direct() {
        return source;
    }

    @Override
    public ErrorClasses errors() {
        return errors;
    }

    /** Sets the meaning of errors, once the kind of the database is known. */
    public void setErrors(ErrorClasses errors) {
        this.errors = errors;
    }

    @Override
    public boolean areApplications() {
        return true;
    }

    @Override
    public void close() {
        threads.close(); // the source is the application's
    }
}
