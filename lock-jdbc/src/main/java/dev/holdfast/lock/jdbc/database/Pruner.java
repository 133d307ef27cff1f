package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the rows of idle locks on its own thread, which a release starts if a round is due. It removes a few rows at a
 * time, and ends with the round. So short-lived processes do their share, and an idle process runs nothing. Thread-safe.
 */
public final class Pruner implements AutoCloseable {

    /** How long a lock must have been unused before its row is removed. */
    public static final Duration IDLE = Duration.ofSeconds(60);

    /** The pause between two rounds: together with {@link #IDLE}, how long an unused row may stay. */
    public static final Duration PAUSE = Duration.ofSeconds(10);

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

    /** How long {@link #close} waits for a call: briefly, as the server completes it anyway. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(250);

    /** The pause between two calls of a round, for callers that wait for a connection, as there may be only one. */
    private static final Duration CALL_PAUSE = Duration.ofMillis(5);

    /** A round that takes longer, or whose calls fail for longer, is worth a warning. */
    private static final Duration WARN_AFTER = Duration.ofMinutes(1);

    private final Round round;
    private final Duration pause;
    private final Duration callPause;
    private final Duration warnAfter;
    private final Logger log;
    private final Executor threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private final Condition closed = lock.newCondition();
    private boolean isClosed; // guarded by the lock, as the next one
    private boolean isRunning;
    private volatile long nextRound = System.nanoTime();

    /** The time of the first failure since the last success; null if there was none. Written by the pruning thread. */
    private volatile @Nullable Long failingSince;

    private volatile boolean isWarned;

    /** The work of a round in one database. */
    @FunctionalInterface
    public interface Round {
        /** Removes a few rows within milliseconds. */
        Part removeSome(Connections connections, Deadline deadline) throws SQLException;
    }

    /**
     * A part of a round.
     *
     * @param removed the number of removed rows
     * @param untilNextRound zero while the round is not finished
     */
    public record Part(long removed, Duration untilNextRound) {}

    /** @param pause from the end of a round to the next, if the round fails */
    public Pruner(Round round, Duration pause) {
        this(
                round,
                pause,
                CALL_PAUSE,
                WARN_AFTER,
                LoggerFactory.getLogger(Pruner.class),
                task -> DaemonThreadFactory.unstarted("holdfast-pruner", task).start());
    }

    /**
     * For tests.
     *
     * @param callPause from the end of a call to the next
     * @param warnAfter how long a round may take, or fail, without a warning
     * @param log for the warnings
     * @param threads run each round on a thread of its own, or throw
     */
    Pruner(Round round, Duration pause, Duration callPause, Duration warnAfter, Logger log, Executor threads) {
        this.round = round;
        this.pause = pause;
        this.callPause = callPause;
        this.warnAfter = warnAfter;
        this.log = log;
        this.threads = threads;
    }

    /**
     * Starts a round if there is a release among the commands and a round is due. Neither waits nor fails: the commands are executed, and
     * their replies are known.
     */
    public void pruneAfter(List<LockCommand> commands, Connections connections) {
        if (System.nanoTime() - nextRound < 0 || commands.stream().noneMatch(LockCommand.Release.class::isInstance)) {
            return;
        }
        lock.lock();
        try {
            if (!isClosed && !isRunning && System.nanoTime() - nextRound >= 0) {
                threads.execute(() -> run(connections));
                isRunning = true;
            }
        } catch (OutOfMemoryError e) { // such as "unable to create native thread": the next release tries again
            log.debug("no thread is available to prune idle rows", e);
        } finally {
            lock.unlock();
        }
    }

    private void run(Connections connections) {
        long rest = TimeUnit.MILLISECONDS.toNanos(pause.toMillis());
        try {
            rest = runRound(connections);
            failingSince = null;
        } catch (SQLException | RuntimeException e) {
            logFailure(e, connections);
        } finally {
            lock.lock();
            try {
                nextRound = System.nanoTime() + rest;
                isRunning = false;
                ended.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Runs a round, or the rest of one, and returns the nanoseconds until the next. */
    private long runRound(Connections connections) throws SQLException {
        long began = System.nanoTime();
        long removed = 0;
        while (true) {
            Part part = round.removeSome(connections, Deadline.in(CALL_TIMEOUT));
            failingSince = null;
            removed += part.removed();
            if (!part.untilNextRound().isZero() || awaitNextCall()) {
                log.debug("pruned {} rows", removed);
                return part.untilNextRound().toNanos();
            }
            if (System.nanoTime() - began > warnAfter.toNanos() && !isWarned) {
                isWarned = true;
                log.warn(
                        "idle rows are created faster than they are pruned, or the server is too slow: a round through"
                                + " holdfast_lock, which grows, has not ended after {}, in which {} rows were removed",
                        warnAfter,
                        removed);
            }
        }
    }

    /**
     * Idle rows wait for the next round. An outage is reported to the callers that ask for locks; if it lasts while locks are
     * released, pruning itself is what fails.
     */
    private void logFailure(Exception failure, Connections connections) {
        long now = System.nanoTime();
        Long since = failingSince;
        if (since == null) {
            since = now;
            failingSince = since;
        }
        boolean isOutage = failure instanceof SQLException e
                && connections.errors().classify(e).isOutage();
        if (isClosed() || isWarned || (isOutage && now - since < warnAfter.toNanos())) {
            log.debug("idle rows were not pruned; the next round tries again", failure);
        } else {
            isWarned = true;
            log.warn("idle rows cannot be pruned, so that the tables grow; each round tries again", failure);
        }
    }

    /** Leaves the connection to others for a moment; returns whether the pruner was closed. */
    private boolean awaitNextCall() {
        lock.lock();
        try {
            long left = callPause.toNanos();
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

    /** Ends a running round soon. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            closed.signalAll();
            long left = CLOSE_TIMEOUT.toNanos();
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
