package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The second attempt of a batch that failed as a whole: once more if the server rolled it back, and one by one if a row that
 * another transaction has locked held up the others.
 */
public final class BatchRetry {

    private BatchRetry() {}

    /** Creates the call of a batch. */
    @FunctionalInterface
    public interface CallFactory<T> {
        /** Creates the call. */
        Connections.Work<List<LockReply>> call(List<T> batch, Deadline deadline);
    }

    /**
     * The time for which the server waits for a lock within a call.
     *
     * @param batchSize the number of parts of the call
     */
    public record LockTimeout(int batchSize) {

        /** Time for a late report of the server to reach the caller. */
        private static final int MAX_RESERVE_MILLIS = 2_000;

        /**
         * A little less time than the call has, so that the server reports the timeout; for a batch, short enough to retry its
         * parts.
         */
        public int millis(int millisLeft) {
            int reserve = Math.max(millisLeft / 10, Math.min(MAX_RESERVE_MILLIS, millisLeft / 3));
            return Math.max(1, batchSize > 1 ? millisLeft / 3 : millisLeft - reserve);
        }
    }

    /**
     * Retries the batch if its failure allows that.
     *
     * @throws SQLException the failure, or that of the second attempt
     */
    public static <T> List<LockReply> retry(
            SQLException failure, List<T> batch, Deadline deadline, Connections connections, CallFactory<T> factory)
            throws SQLException {
        ErrorClass meaning = connections.errors().classify(failure);
        if (meaning == ErrorClass.LOCK_TIMEOUT && batch.size() > 1) {
            return executeOneByOne(batch, deadline, connections, factory);
        } else if (meaning == ErrorClass.ROLLED_BACK && !deadline.isOver()) {
            return connections.with(deadline, factory.call(batch, deadline));
        }
        throw failure;
    }

    /**
     * Executes each part of a batch in a separate call; a part whose row stays locked is unavailable, and affects no other. Any
     * other failure of the database ends it; the replies of the parts before are kept.
     */
    public static <T> List<LockReply> executeOneByOne(
            List<T> batch, Deadline deadline, Connections connections, CallFactory<T> factory) throws SQLException {
        List<LockReply> replies = new ArrayList<>(batch.size());
        for (T each : batch) {
            Deadline share = deadline.share(batch.size() - replies.size());
            try {
                replies.addAll(connections.with(share, factory.call(List.of(each), share)));
            } catch (SQLException e) {
                boolean isLockTimeout = connections.errors().classify(e) == ErrorClass.LOCK_TIMEOUT;
                if (replies.isEmpty() && !isLockTimeout) {
                    throw e;
                }
                int unanswered = isLockTimeout ? 1 : batch.size() - replies.size();
                replies.addAll(Collections.nCopies(unanswered, new LockReply.Unavailable(e)));
                if (replies.size() == batch.size()) {
                    break;
                }
            }
        }
        return replies;
    }
}
