package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Step;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the rows of locks that were not used lately, on a thread of its own: a release only starts it, if it is time. It goes
 * through the tables a few pages at a time, and ends with the round, which all processes share. So short-lived processes do their
 * part, and nothing runs while nothing happens. Thread-safe.
 */
final class Pruning implements AutoCloseable {

    static final Duration IDLE = Duration.ofSeconds(60);

    /** From the end of a round to the next: with {@link #IDLE}, how long a row may stay that nobody uses. */
    static final Duration PAUSE = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(Pruning.class);

    /** Of each table in a call: some milliseconds, even if every row of them is removed. */
    private static final int PAGES = 32;

    private static final Duration CALL = Duration.ofSeconds(10);

    /** What has begun when the store is closed is waited for, but not for long: the server goes on with it anyway. */
    private static final Duration LAST = Duration.ofMillis(250);

    /** Between two calls of a round, for the calls that wait for a connection, of which there may be but one. */
    private static final Duration BREATH = Duration.ofMillis(5);

    /** A round should not take so long, nor should the calls for one fail for so long. */
    private static final Duration LATE = Duration.ofMinutes(1);

    private final Duration idle;
    private final Duration pause;
    private final Duration breath;
    private final Duration late;
    private final Logger log;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Condition closed = lock.newCondition();
    private boolean isClosed; // guarded by the lock, as the next one
    private boolean isRunning;
    private volatile long next = System.nanoTime();

    /** Since when no call has succeeded, by the thread that runs; null if the last one did. */
    private volatile @Nullable Long failing;

    private volatile boolean isWarned;

    /**
     * @param idle how long a lock must not have been used before its row is removed
     * @param pause from the end of a round to the next
     */
    Pruning(Duration idle, Duration pause) {
        this(idle, pause, BREATH, LATE, LOG);
    }

    /**
     * @param breath from the end of a call to the next
     * @param late after which a round has taken too long, or has failed for too long
     * @param log which is warned of that
     */
    Pruning(Duration idle, Duration pause, Duration breath, Duration late, Logger log) {
        this.idle = idle;
        this.pause = pause;
        this.breath = breath;
        this.late = late;
        this.log = log;
    }

    /** Starts a round after a release, if it is time for one. Waits for nothing. */
    void after(List<Step> steps, Connections connections, String schema) {
        if (System.nanoTime() - next < 0 || steps.stream().noneMatch(Step.Release.class::isInstance)) {
            return;
        }
        lock.lock();
        try {
            if (!isClosed && !isRunning && System.nanoTime() - next >= 0) {
                Thread thread = new Thread(() -> run(connections, schema), "holdfast-pruning");
                thread.setDaemon(true);
                thread.start();
                isRunning = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void run(Connections connections, String schema) {
        long rest = TimeUnit.MILLISECONDS.toNanos(pause.toMillis());
        try {
            rest = round(connections, schema);
            failing = null;
        } catch (SQLException | RuntimeException e) {
            failed(e);
        } finally {
            lock.lock();
            try {
                next = System.nanoTime() + rest;
                isRunning = false;
                ended.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** One round, or what is left of it; tells in how many nanoseconds the next one begins. */
    private long round(Connections connections, String schema) throws SQLException {
        Question<long[]> question = new Question<>(
                schema, "holdfast_prune_v1", Pruning::removedAndRest, micros(idle), micros(pause), PAGES);
        long began = System.nanoTime();
        long removed = 0;
        while (true) {
            long[] outcome =
                    Session.ask(connections, Deadline.in(CALL), (connection, millis) -> question.ask(connection));
            failing = null;
            removed += outcome[0];
            if (outcome[1] > 0 || isClosedAfterABreath()) {
                log.debug("pruned {} rows", removed);
                return TimeUnit.MICROSECONDS.toNanos(outcome[1]);
            }
            if (System.nanoTime() - began > late.toNanos() && !isWarned) {
                isWarned = true;
                log.warn(
                        "idle rows come faster than they are pruned, or the server is too slow for that: a round through"
                                + " {}.holdfast_lock, which grows, is not over after {}, in which {} rows were removed",
                        schema,
                        late,
                        removed);
            }
        }
    }

    private static long[] removedAndRest(ResultSet row) throws SQLException {
        row.next();
        return new long[] {row.getLong("removed"), row.getLong("rest")};
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /**
     * The rows wait for the next time. That a server is slow, or away, who asks it for a lock is told; but if that goes on while
     * locks are released, it is the pruning that fails.
     */
    private void failed(Exception failure) {
        long now = System.nanoTime();
        Long since = failing;
        if (since == null) {
            since = now;
            failing = since;
        }
        boolean isOutage = failure instanceof SQLException e && Failures.isOutage(e);
        if (isClosed() || isWarned || (isOutage && now - since < late.toNanos())) {
            log.debug("idle rows were not pruned; that is tried again", failure);
        } else {
            isWarned = true;
            log.warn("idle rows cannot be pruned, so that the tables grow; that is tried again and again", failure);
        }
    }

    /** Leaves the connection to others for a moment, unless nothing more is to be done. */
    private boolean isClosedAfterABreath() {
        lock.lock();
        try {
            long left = breath.toNanos();
            while (!isClosed && left > 0) {
                left = closed.awaitNanos(left);
            }
            return isClosed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    /** Ends what runs, soon. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            closed.signalAll();
            long left = LAST.toNanos();
            while (isRunning && left > 0) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
