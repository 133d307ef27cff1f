package dev.holdfast.lock.jdbc.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool of our own, so that a lock never waits for the application's connections, nor they for a lock. */
public final class Pool implements Connections {

    /** The least that the pool allows: a call's own timeout is kept by asking it again and again. */
    private static final int TURN_MILLIS = 250;

    private final DataSource direct;
    private final HikariDataSource pool;

    /**
     * Opens the pool with a first connection.
     *
     * @param size how many connections at most; no more than needed are opened
     * @param preparation run once on each new connection; null for none
     * @param patience until when the first connection is tried again if the database lets it in and then says nothing: the pool
     *     gives what it asks itself no more than a moment
     * @throws SQLException why there was no first connection
     */
    public Pool(DataSource direct, int size, @Nullable String preparation, Deadline patience) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setPoolName("holdfast");
        config.setDataSource(direct);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionInitSql(preparation);
        config.setConnectionTimeout(TURN_MILLIS);
        config.setValidationTimeout(TURN_MILLIS);
        config.setInitializationFailTimeout(1); // one attempt
        this.direct = direct;
        this.pool = open(config, patience);
    }

    private static HikariDataSource open(HikariConfig config, Deadline patience) throws SQLException {
        while (true) {
            try {
                return new HikariDataSource(config);
            } catch (PoolInitializationException e) {
                SQLException failure = e.getCause() instanceof SQLException cause ? cause : new SQLException(e);
                if (patience.isOver() || !Failures.isBrokenOff(failure)) {
                    throw failure;
                }
            }
        }
    }

    @Override
    public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
        Connection connection = take(deadline);
        boolean reusable = false;
        try {
            T result = work.on(connection);
            reusable = true;
            return result;
        } catch (SQLException e) {
            reusable = Failures.sparesConnection(e);
            throw e;
        } finally {
            if (reusable) {
                connection.close();
            } else {
                pool.evictConnection(connection); // which closes it; to close it once more would hide the failure
            }
        }
    }

    private Connection take(Deadline deadline) throws SQLException {
        while (true) {
            try {
                return pool.getConnection();
            } catch (SQLTransientConnectionException e) {
                if (deadline.millisLeft() < TURN_MILLIS / 2) {
                    throw e;
                }
            }
        }
    }

    @Override
    public DataSource direct() {
        return direct;
    }

    @Override
    public boolean foreign() {
        return false;
    }

    @Override
    public void close() {
        pool.close();
    }
}
