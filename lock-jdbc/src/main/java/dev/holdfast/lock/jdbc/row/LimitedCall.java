package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.Restoration;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Work that waits neither for the server nor for a lock beyond its deadline. An application's connection is restored afterwards.
 *
 * @param deadline for each wait
 */
record LimitedCall<T>(Dialect dialect, Connections connections, Deadline deadline, Connections.Work<T> work)
        implements Connections.Work<T> {

    @Override
    public T on(Connection connection) throws SQLException {
        Session session = new Session(connection, deadline, connections.areApplications());
        Restoration restoration = dialect.limitWaiting(session);
        return session.isApplications() ? Restoration.after(work, connection, restoration) : work.on(connection);
    }
}
