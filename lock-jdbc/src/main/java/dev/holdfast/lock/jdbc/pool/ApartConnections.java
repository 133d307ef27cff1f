package dev.holdfast.lock.jdbc.pool;

import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/**
 * A pool for a database that runs in this process and does not survive an interrupt: only the store's own threads read or write
 * its files. Java closes a file channel when the thread that uses it is interrupted, and with it, in an embedded database, the
 * whole database of every user in the process.
 */
public final class ApartConnections implements Connections {

    private static final String TOOK_TOO_LONG = "the database took too long";

    /** Time limit for a connection that the pool opens by itself. */
    private static final Duration OPEN_TIMEOUT = Duration.ofMinutes(1);

    private final PooledConnections pool;
    private final StoreThreads calls;
    private final StoreThreads openings;

    private ApartConnections(PooledConnections pool, StoreThreads calls, StoreThreads openings) {
        this.pool = pool;
        this.calls = calls;
        this.openings = openings;
    }

    /**
     * Opens the pool with a first connection.
     *
     * @param direct the database
     * @param errors the meaning of its errors
     * @param size the maximum number of connections
     * @param deadline for the first connection
     * @throws SQLException the reason why there is no first connection
     */
    public static ApartConnections open(DataSource direct, ErrorClasses errors, int size, Deadline deadline)
            throws SQLException {
        StoreThreads calls = new StoreThreads(size + 1); // creating the tables is a task that makes calls
        StoreThreads openings = new StoreThreads(1); // of their own: calls wait for connections
        try {
            DataSource apart = new ApartDataSource(direct, openings);
            PooledConnections pool = calls.run(
                    deadline, TOOK_TOO_LONG, () -> new PooledConnections(apart, errors, size, null, deadline));
            return new ApartConnections(pool, calls, openings);
        } catch (SQLException | RuntimeException e) {
            calls.close();
            openings.close();
            throw e;
        }
    }

    /** Opens connections on the store's own threads: the pool interrupts its thread when it is closed. */
    private static final class ApartDataSource extends AbstractDataSource {

        private final DataSource direct;
        private final StoreThreads threads;

        ApartDataSource(DataSource direct, StoreThreads threads) {
            this.direct = direct;
            this.threads = threads;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return threads.run(Deadline.in(OPEN_TIMEOUT), TOOK_TOO_LONG, direct::getConnection);
        }
    }

    @Override
    public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
        return calls.run(deadline, TOOK_TOO_LONG, () -> pool.with(deadline, work));
    }

    @Override
    public <T> T runApart(Deadline deadline, Callable<T> task) throws SQLException {
        return calls.run(deadline, TOOK_TOO_LONG, task);
    }

    @Override
    public DataSource direct() {
        return pool.direct();
    }

    @Override
    public ErrorClasses errors() {
        return pool.errors();
    }

    @Override
    public int size() {
        return pool.size();
    }

    @Override
    public boolean areApplications() {
        return pool.areApplications();
    }

    @Override
    public void close() {
        pool.close();
        calls.close();
        openings.close();
    }
}
