package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The attempts to execute a batch. A transaction that was certainly rolled back is repeated, and so are the commands whose rows
 * other transactions had locked. A batch never finds a row free while transactions queue for it: after a while each such lock
 * gets a transaction of its own, which queues, too. A command whose row stays locked is unavailable, and affects no other.
 */
final class BatchAttempts {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Connections connections;
    private final Attempt attempt;
    private final List<LockCommand> commands;
    private final Deadline deadline;
    private final List<@Nullable LockReply> replies = new ArrayList<>();

    private boolean isInterrupted;

    /** The limit for retrying rows that others have locked: the other replies wait meanwhile. */
    private final Deadline patience;

    /** @param deadline for all attempts */
    BatchAttempts(Connections connections, Attempt attempt, List<LockCommand> commands, Deadline deadline) {
        this.connections = connections;
        this.attempt = attempt;
        this.commands = commands;
        this.deadline = deadline;
        this.patience = deadline.share(3);
    }

    /** Creates the transaction of an attempt. */
    @FunctionalInterface
    interface Attempt {
        /**
         * Creates the transaction. It has no reply to a command whose row another transaction has locked.
         *
         * @param mayCreate whether rows may be created; if not, there is no reply to a command that needs a new one, either
         */
        Connections.Work<List<@Nullable LockReply>> of(List<LockCommand> batch, boolean mayCreate);
    }

    /**
     * Executes the batch.
     *
     * @throws SQLException if no command was executed, or the outcome of all is unknown
     */
    List<LockReply> execute() throws SQLException {
        commands.forEach(command -> replies.add(null));
        List<Integer> open = unanswered();
        long pause = FIRST_PAUSE_NANOS;
        try {
            while (true) {
                try {
                    run(open, true);
                } catch (SQLException e) {
                    ErrorClass meaning = connections.errors().classify(e);
                    if (deadline.isOver()) {
                        throw e;
                    } else if (meaning == ErrorClass.LOCK_TIMEOUT && open.size() > 1) {
                        run(open, false);
                        executeApart(unanswered());
                        return all();
                    } else if (meaning != ErrorClass.ROLLED_BACK
                            && !(meaning == ErrorClass.LOCK_TIMEOUT && isNothingAnswered())) {
                        throw e;
                    }
                    continue;
                }
                open = unanswered();
                if (open.isEmpty()) {
                    return all();
                } else if (patience.isOver()) {
                    executeApart(open);
                    return all();
                }
                pause(pause);
                pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
            }
        } catch (SQLException | RuntimeException e) { // what was committed is answered, whatever the error
            if (isNothingAnswered()) {
                throw e;
            }
            answer(unanswered(), e);
            return all();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Keeps the caller's interrupt for the end: an interrupted thread does not pause. */
    private void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            isInterrupted |= Thread.interrupted();
            LockSupport.parkNanos(left);
        }
    }

    /** Executes each lock's commands in a separate transaction, which waits for the row; first those whose leases would be lost. */
    private void executeApart(List<Integer> open) throws SQLException {
        for (List<Integer> ofLock : byLock(open)) {
            if (deadline.isOver()) {
                break;
            }
            try {
                run(ofLock, true);
            } catch (SQLException e) {
                if (connections.errors().classify(e) != ErrorClass.LOCK_TIMEOUT) {
                    throw e;
                }
                answerLocked(ofLock, e);
            }
        }
        answerLocked(unanswered(), null);
    }

    /** The commands of each lock, in order. */
    private List<List<Integer>> byLock(List<Integer> indexes) {
        Map<LockName, List<Integer>> locks = indexes.stream()
                .collect(Collectors.groupingBy(
                        index -> commands.get(index).name(), LinkedHashMap::new, Collectors.toList()));
        return locks.values().stream()
                .sorted(Comparator.comparing(ofLock -> !renews(ofLock))) // keeps the order of the others
                .toList();
    }

    private boolean renews(List<Integer> indexes) {
        return indexes.stream().anyMatch(index -> commands.get(index) instanceof LockCommand.Renew);
    }

    private void run(List<Integer> indexes, boolean mayCreate) throws SQLException {
        List<LockCommand> batch = indexes.stream().map(commands::get).toList();
        List<@Nullable LockReply> answers = connections.with(deadline, attempt.of(batch, mayCreate));
        for (int each = 0; each < answers.size(); each++) {
            replies.set(indexes.get(each), answers.get(each));
        }
    }

    private List<Integer> unanswered() {
        List<Integer> open = new ArrayList<>();
        for (int index = 0; index < commands.size(); index++) {
            if (replies.get(index) == null) {
                open.add(index);
            }
        }
        return open;
    }

    private boolean isNothingAnswered() {
        return unanswered().size() == commands.size();
    }

    private void answer(List<Integer> indexes, Exception reason) {
        indexes.forEach(index -> replies.set(index, new LockReply.Unavailable(reason)));
    }

    private void answerLocked(List<Integer> indexes, @Nullable SQLException cause) {
        for (int index : indexes) {
            String reason = "other transactions have locked the row of "
                    + commands.get(index).name()
                    + " in holdfast_lock for too long: more clients contend for this lock than the database serves within"
                    + " lock.call-timeout, or a client has stopped, or a statement run by hand keeps the row locked";
            answer(List.of(index), new LockUnavailableException(reason, cause));
        }
    }

    private List<LockReply> all() {
        List<LockReply> all = new ArrayList<>();
        for (LockReply reply : replies) {
            if (reply == null) {
                throw new IllegalStateException("a command has no reply");
            }
            all.add(reply);
        }
        return all;
    }
}
