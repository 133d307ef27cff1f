package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.SqlErrors;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.NotificationSource;
import dev.holdfast.lock.spi.support.ReconnectingListener;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;

/**
 * Polls whether the file has changed, on a connection of its own, and notifies the waiters whose turn has come: SQLite has no
 * notifications. It only reads, and so blocks no write.
 */
final class TurnPoller implements NotificationSource {

    private static final String DATA_VERSION = "PRAGMA data_version";

    private static final long NO_VERSION = -1;

    /** One change seldom comes alone. */
    private static final long MIN_PAUSE_MILLIS = 2;

    private static final long MAX_PAUSE_MILLIS = 20;

    /** A read waits only for a process that sets up the file or checkpoints its journal. */
    private static final String BUSY_TIMEOUT_MILLIS = "100";

    private final JdbcUrl url;
    private final Namespace namespace;
    private final InstantSource clock;

    TurnPoller(JdbcUrl url, Namespace namespace, InstantSource clock) {
        this.url = url;
        this.namespace = namespace;
        this.clock = clock;
    }

    /** The turn of a waiter, as long as the lock does not change. */
    private record Turn(LockName name, AcquisitionId id, long token, String state) {}

    @Override
    public void listen(ReconnectingListener listening) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", BUSY_TIMEOUT_MILLIS);
        try (Connection connection = new DriverDataSource(url.value(), properties).getConnection();
                PreparedStatement versionQuery = connection.prepareStatement(DATA_VERSION);
                PreparedStatement turnsQuery = connection.prepareStatement(LockStatements.sql("find-turns"))) {
            long lastVersion = NO_VERSION;
            Set<Turn> lastTurns = Set.of();
            long pause = MIN_PAUSE_MILLIS;
            do {
                try {
                    long version = readVersion(versionQuery);
                    pause = version == lastVersion ? Math.min(2 * pause, MAX_PAUSE_MILLIS) : MIN_PAUSE_MILLIS;
                    if (version != lastVersion) {
                        Set<Turn> turns = readTurns(turnsQuery);
                        if (lastVersion == NO_VERSION) {
                            listening.connected();
                        } else {
                            notifyNew(turns, lastTurns, listening);
                        }
                        lastTurns = turns;
                        lastVersion = version;
                    }
                } catch (SQLException e) {
                    if (!SqlErrors.isFileBusy(e)) {
                        throw e;
                    }
                }
            } while (!listening.pause(pause));
        }
    }

    private static void notifyNew(Set<Turn> turns, Set<Turn> lastTurns, ReconnectingListener listening) {
        for (Turn turn : turns) {
            if (!lastTurns.contains(turn)) {
                listening.deliver(Notification.of(turn.name, turn.id));
            }
        }
    }

    /** Another number whenever another connection has committed. */
    private static long readVersion(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private Set<Turn> readTurns(PreparedStatement query) throws SQLException {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
        query.setString(1, namespace.value());
        query.setLong(2, now);
        query.setLong(3, now - WaiterRow.TIME_TO_LIVE);
        Set<Turn> turns = new HashSet<>();
        try (ResultSet row = query.executeQuery()) {
            while (row.next()) {
                ByteBuffer id = ByteBuffer.wrap(row.getBytes("id"));
                turns.add(new Turn(
                        new LockName(row.getString("name")),
                        new AcquisitionId(id.getLong(), id.getLong()),
                        row.getLong("token"),
                        row.getString("state")));
            }
        }
        return turns;
    }

    @Override
    public void stop() {
        // it never waits for longer than a pause
    }
}
