package dev.holdfast.lock.jdbc.pool;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source that hands out connections and supports nothing else. */
public abstract class AbstractDataSource implements DataSource {

    /** For subclasses. */
    protected AbstractDataSource() {}

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is part of the settings");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        // the drivers have their own loggers
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // part of the settings
    }

    @Override
    public int getLoginTimeout() {
        return 1; // the longest wait of a closing pool for a connection that is being opened
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the drivers have loggers of their own");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("not a wrapper of " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
