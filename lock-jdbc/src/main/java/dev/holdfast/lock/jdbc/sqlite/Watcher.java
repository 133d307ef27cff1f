package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.connection.DriverSource;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.signal.Listening;
import dev.holdfast.lock.spi.signal.Source;
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
 * Looks now and then whether the file has changed, on a connection of its own: SQLite tells nobody. Reads only, and so holds
 * up nobody who writes.
 */
final class Watcher implements Source {

    private static final String VERSION = "PRAGMA data_version";
    private static final String TURNS = Scripts.read(Watcher.class, "turns.sql");

    /** No version. */
    private static final long NEVER = -1;

    /** One change seldom comes alone. */
    private static final long SHORTEST_PAUSE_MILLIS = 2;

    private static final long LONGEST_PAUSE_MILLIS = 20;

    /** A read waits for nobody but whoever sets up or tidies up the file. */
    private static final String BUSY_TIMEOUT_MILLIS = "100";

    private final JdbcUrl url;
    private final Namespace namespace;
    private final InstantSource clock;

    Watcher(JdbcUrl url, Namespace namespace, InstantSource clock) {
        this.url = url;
        this.namespace = namespace;
        this.clock = clock;
    }

    /** That it is somebody's turn, as long as nothing happens to the lock. */
    private record Turn(LockName name, AcquisitionId id, long token, String state) {}

    @Override
    public void follow(Listening listening) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", BUSY_TIMEOUT_MILLIS);
        try (Connection connection = new DriverSource(url.value(), properties).getConnection();
                PreparedStatement version = connection.prepareStatement(VERSION);
                PreparedStatement turns = connection.prepareStatement(TURNS)) {
            long seen = NEVER;
            Set<Turn> told = Set.of();
            long pause = SHORTEST_PAUSE_MILLIS;
            do {
                try {
                    long now = version(version);
                    pause = now == seen ? Math.min(2 * pause, LONGEST_PAUSE_MILLIS) : SHORTEST_PAUSE_MILLIS;
                    if (now != seen) {
                        Set<Turn> found = turns(turns);
                        if (seen == NEVER) {
                            listening.connected();
                        } else {
                            tell(found, told, listening);
                        }
                        told = found;
                        seen = now;
                    }
                } catch (SQLException e) {
                    if (!Failures.isBusyFile(e)) {
                        throw e;
                    }
                }
            } while (!listening.pause(pause));
        }
    }

    private static void tell(Set<Turn> found, Set<Turn> told, Listening listening) {
        for (Turn turn : found) {
            if (!told.contains(turn)) {
                listening.tell(Signal.to(turn.name, turn.id));
            }
        }
    }

    /** Another number whenever another connection has committed. */
    private static long version(PreparedStatement question) throws SQLException {
        try (ResultSet version = question.executeQuery()) {
            version.next();
            return version.getLong(1);
        }
    }

    private Set<Turn> turns(PreparedStatement question) throws SQLException {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
        question.setString(1, namespace.value());
        question.setLong(2, now);
        question.setLong(3, now - Ticket.TIME);
        Set<Turn> turns = new HashSet<>();
        try (ResultSet found = question.executeQuery()) {
            while (found.next()) {
                ByteBuffer id = ByteBuffer.wrap(found.getBytes("id"));
                turns.add(new Turn(
                        new LockName(found.getString("name")),
                        new AcquisitionId(id.getLong(), id.getLong()),
                        found.getLong("token"),
                        found.getString("state")));
            }
        }
        return turns;
    }

    @Override
    public void end() {
        // it never waits for longer than a pause
    }
}
