package dev.holdfast.lock.jdbc.pool;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.Durations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The store's own pool, so that a lock never waits for the application's connections, nor the application for a lock. */
public final class PooledConnections implements Connections {

    /** The shortest wait that the pool allows. The pool is asked again until the deadline of the call. */
    private static final int TURN_MILLIS = 250;

    /** The default maximum lifetime of a connection. */
    public static final Duration MAX_LIFETIME = Duration.ofMinutes(30);

    /** The shortest lifetime that the pool allows, and the shortest pause between two keep-alives on an idle connection. */
    public static final Duration SHORTEST_LIFETIME = Duration.ofSeconds(30);

    private static final Duration KEEPALIVE = Duration.ofMinutes(2);

    /** The pause before the first connection is tried again. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final DataSource direct;
    private final ErrorClasses errors;
    private final HikariDataSource pool;

    /**
     * Opens the pool with a first connection.
     *
     * @param errors the meaning of the database's errors
     * @param size the maximum number of connections; they are opened as needed
     * @param initSql run once on each new connection; null for none
     * @param deadline until which the first connection is tried again if the database accepts it and then does not reply: the
     *     pool waits only a moment for its own statements
     * @throws SQLException the reason why there is no first connection
     */
    public PooledConnections(
            DataSource direct, ErrorClasses errors, int size, @Nullable String initSql, Deadline deadline)
            throws SQLException {
        this(direct, errors, size, MAX_LIFETIME, initSql, deadline);
    }

    /**
     * Opens a pool whose connections live no longer than servers, proxies and firewalls on the way allow.
     *
     * @param maxLifetime {@link #SHORTEST_LIFETIME} or longer
     */
    public PooledConnections(
            DataSource direct,
            ErrorClasses errors,
            int size,
            Duration maxLifetime,
            @Nullable String initSql,
            Deadline deadline)
            throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setPoolName("holdfast");
        config.setThreadFactory(new DaemonThreadFactory("holdfast-pool-"));
        config.setDataSource(direct);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionInitSql(initSql);
        config.setMaxLifetime(maxLifetime.toMillis());
        config.setKeepaliveTime(keepalive(maxLifetime).toMillis());
        config.setConnectionTimeout(TURN_MILLIS);
        config.setValidationTimeout(TURN_MILLIS);
        config.setInitializationFailTimeout(1); // one attempt
        this.direct = direct;
        this.errors = errors;
        this.pool = open(config, errors, deadline);
    }

    /** The interval of keep-alives; zero for none, if a connection does not live long enough to need one. */
    private static Duration keepalive(Duration maxLifetime) {
        Duration half = maxLifetime.dividedBy(2);
        return half.compareTo(SHORTEST_LIFETIME) < 0 ? Duration.ZERO : Durations.min(half, KEEPALIVE);
    }

    private static HikariDataSource open(HikariConfig config, ErrorClasses errors, Deadline deadline)
            throws SQLException {
        while (true) {
            try {
                return new HikariDataSource(config);
            } catch (PoolInitializationException e) {
                SQLException failure = e.getCause() instanceof SQLException cause ? cause : new SQLException(e);
                if (deadline.isOver()
                        || Thread.currentThread().isInterrupted()
                        || errors.classify(failure) != ErrorClass.CONNECTION_LOST) {
                    throw failure;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
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
            reusable = errors.classify(e).leavesConnectionIntact();
            throw e;
        } finally {
            if (reusable) {
                Restoration.giveBack(connection);
            } else {
                pool.evictConnection(connection); // closes it; closing it once more would hide the failure
            }
        }
    }

    private Connection take(Deadline deadline) throws SQLException {
        while (true) {
            try {
                return pool.getConnection();
            } catch (SQLTransientConnectionException e) {
                if (deadline.millisLeft() < TURN_MILLIS / 2) {
                    throw isExhausted() ? new SQLTransientConnectionException(exhausted(), e.getSQLState()) : e;
                }
            }
        }
    }

    private boolean isExhausted() {
        return pool.getHikariPoolMXBean().getActiveConnections() >= size();
    }

    private String exhausted() {
        return "the pool of connections is exhausted: all " + size()
                + " are in use, as many as lock.jdbc.pool-size allows";
    }

    @Override
    public int size() {
        return pool.getMaximumPoolSize();
    }

    @Override
    public DataSource direct() {
        return direct;
    }

    @Override
    public ErrorClasses errors() {
        return errors;
    }

    @Override
    public boolean areApplications() {
        return false;
    }

    @Override
    public void close() {
        pool.close();
    }
}
