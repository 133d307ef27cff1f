package dev.holdfast.lock.jdbc.postgresql;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether the server's queue of notifications is full. While it is, every commit that notifies fails, whatever else it
 * does: calls are made without notifications, except for a trial now and then. Thread-safe.
 */
final class NotificationQueue {

    /** The server's SQLSTATE for a full queue. */
    private static final String FULL = "54000";

    /** The time from a failure to the next trial. */
    private static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** After this long without a failure the queue counts as accepting again, and its next failure is logged. */
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final Logger log;
    private final AtomicLong lastFailure;

    NotificationQueue() {
        this(System::nanoTime, LoggerFactory.getLogger(NotificationQueue.class));
    }

    /** For tests. */
    NotificationQueue(LongSupplier nanoTime, Logger log) {
        this.nanoTime = nanoTime;
        this.log = log;
        this.lastFailure = new AtomicLong(nanoTime.getAsLong() - QUIET_NANOS);
    }

    /** Whether a call should notify. */
    boolean accepts() {
        return nanoTime.getAsLong() - lastFailure.get() >= TRIAL_NANOS;
    }

    /** Returns whether a call failed only because the queue is full; notes it, and logs the first such failure. */
    boolean isFullAfter(SQLException failure) {
        if (!FULL.equals(failure.getSQLState())) {
            return false;
        }
        long now = nanoTime.getAsLong();
        if (now - lastFailure.getAndSet(now) >= QUIET_NANOS) {
            log.warn(
                    "PostgreSQL's queue of notifications is full ({}): waiters learn up to five seconds late that their turn has"
                            + " come. A session that listens has been in one transaction for too long: end the transaction, see"
                            + " pg_stat_activity ordered by xact_start",
                    failure.getMessage());
        }
        return true;
    }
}
