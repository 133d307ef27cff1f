package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.spi.Deadline;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the rows of locks that nobody used lately. After the first release of a process, then once a minute: short-lived
 * processes do their part, and nothing runs while nothing happens. While there is more to remove, after every release.
 */
final class Pruning {

    static final String FUNCTION = "holdfast_prune_v1";
    static final Duration IDLE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(Pruning.class);
    private static final int MOST = 500;
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Duration idle;
    private final AtomicLong next = new AtomicLong(System.nanoTime());

    Pruning(Duration idle) {
        this.idle = idle;
    }

    /** Whether it is time; says so to one caller only. */
    boolean isDue() {
        long due = next.get();
        long now = System.nanoTime();
        return now - due >= 0 && next.compareAndSet(due, now + PAUSE_NANOS);
    }

    /** A failure is only told to the log: the steps were answered, and the rows wait for the next time. */
    void run(Connections connections, String schema, Deadline deadline) {
        try {
            int removed = connections.with(
                    deadline,
                    connection -> Session.call(connection, connections.foreign(), deadline, (own, millis) -> {
                        try (PreparedStatement statement =
                                own.prepareStatement("SELECT " + schema + "." + FUNCTION + "(?, ?)")) {
                            statement.setLong(1, idle.toNanos() / 1_000);
                            statement.setInt(2, MOST);
                            try (ResultSet row = statement.executeQuery()) {
                                row.next();
                                return row.getInt(1);
                            }
                        }
                    }));
            LOG.debug("pruned {} rows", removed);
            if (removed >= MOST) {
                next.set(System.nanoTime());
            }
        } catch (SQLException e) {
            LOG.warn("idle rows could not be pruned; that is tried again later", e);
        }
    }
}
