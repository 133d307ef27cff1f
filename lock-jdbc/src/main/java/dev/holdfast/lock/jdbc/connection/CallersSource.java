package dev.holdfast.lock.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The application's own data source: its pool, its settings, its property. How long it takes to hand out a connection is
 * its own affair.
 */
public final class CallersSource implements Connections {

    private final DataSource source;

    /** @param source never closed here */
    public CallersSource(DataSource source) {
        this.source = source;
    }

    @Override
    public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                return work.on(connection);
            }
            connection.setAutoCommit(true);
            T result = work.on(connection);
            connection.setAutoCommit(false);
            return result;
        }
    }

    @Override
    public DataSource direct() {
        return source;
    }

    @Override
    public boolean foreign() {
        return true;
    }

    @Override
    public void close() {
        // it is the caller's
    }
}
