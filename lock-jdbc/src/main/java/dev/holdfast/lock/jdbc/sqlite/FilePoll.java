package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.row.TurnPoller;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Polls on a dedicated connection, which shows cheaply whether another one has committed. It only reads, and so blocks no
 * write.
 */
final class FilePoll implements TurnPoller.Poll {

    private static final long NO_VERSION = -1;

    /** A change is often followed by another. */
    private static final long MIN_PAUSE_MILLIS = 2;

    static final long MAX_PAUSE_MILLIS = 20;

    /** A read waits only for a process that sets up the file or checkpoints its journal. */
    private static final int BUSY_TIMEOUT_MILLIS = 100;

    private final Connection connection;
    private final PreparedStatement versionQuery;
    private long lastVersion = NO_VERSION;
    private long pause = MIN_PAUSE_MILLIS;

    /** @param source of new connections, on one of which the poll sets its own limit */
    FilePoll(DataSource source) throws SQLException {
        connection = source.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT_MILLIS);
            versionQuery = connection.prepareStatement("PRAGMA data_version");
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public boolean read(Connections.Work<?> query) throws SQLException {
        try {
            long version = readVersion();
            pause = version == lastVersion ? Math.min(2 * pause, MAX_PAUSE_MILLIS) : MIN_PAUSE_MILLIS;
            if (version == lastVersion) {
                return false;
            }
            query.on(connection);
            lastVersion = version;
            return true;
        } catch (SQLException e) {
            if (!SqliteErrors.INSTANCE.classify(e).isOutage()) {
                throw e;
            }
            return false; // the file is busy
        }
    }

    /** A number that changes whenever another connection has committed. */
    private long readVersion() throws SQLException {
        try (ResultSet row = versionQuery.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public long pauseMillis(long unchangedMillis) {
        return pause;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
