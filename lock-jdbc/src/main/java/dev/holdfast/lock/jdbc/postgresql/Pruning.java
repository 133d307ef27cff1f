package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Step;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the rows of locks that nobody used lately. After the first release of a process, then once a minute: short-lived
 * processes do their part, and nothing runs while nothing happens. While there is more to remove, after every release.
 */
final class Pruning {

    static final Duration IDLE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(Pruning.class);
    private static final int MOST = 500;
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final int ENOUGH_MILLIS = 100;

    /** For this long at most answers that are there already wait for the pruning. */
    private static final Duration LONGEST = Duration.ofMillis(200);

    private final Duration idle;
    private final AtomicLong next = new AtomicLong(System.nanoTime());

    Pruning(Duration idle) {
        this.idle = idle;
    }

    /** Prunes if it is time, and there is time. */
    void after(List<Step> steps, Connections connections, String schema, Deadline deadline) {
        if (steps.stream().anyMatch(Step.Release.class::isInstance)
                && deadline.millisLeft() > ENOUGH_MILLIS
                && isDue()) {
            run(connections, schema, deadline.within(LONGEST));
        }
    }

    /** Says so to one caller only. */
    private boolean isDue() {
        long due = next.get();
        long now = System.nanoTime();
        return now - due >= 0 && next.compareAndSet(due, now + PAUSE_NANOS);
    }

    /**
     * A failure is only told to the log: the steps were answered, and the rows wait for the next time. A server that is slow, or
     * away, is nothing to warn of here: what it has begun it goes on with, and who asks it for a lock is told.
     */
    private void run(Connections connections, String schema, Deadline deadline) {
        try {
            int removed = Session.ask(connections, deadline, (connection, millis) -> {
                try (PreparedStatement statement =
                        connection.prepareStatement("SELECT " + schema + ".holdfast_prune_v1(?, ?)")) {
                    statement.setLong(1, idle.toNanos() / 1_000);
                    statement.setInt(2, MOST);
                    try (ResultSet row = statement.executeQuery()) {
                        row.next();
                        return row.getInt(1);
                    }
                }
            });
            LOG.debug("pruned {} rows", removed);
            if (removed >= MOST) {
                next.set(System.nanoTime());
            }
        } catch (SQLException e) {
            if (Failures.isOutage(e)) {
                LOG.debug("no answer to the pruning of idle rows within {}; that is tried again later", LONGEST, e);
            } else {
                LOG.warn("idle rows could not be pruned; that is tried again later", e);
            }
        }
    }
}
