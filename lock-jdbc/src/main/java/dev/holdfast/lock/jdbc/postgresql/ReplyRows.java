package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;

/** Reads the replies of the functions. */
final class ReplyRows {

    /** The pause before a caller that does not queue asks again: a typical short lease may be over by then. */
    private static final Duration RETRY_AFTER = Duration.ofMillis(50);

    private ReplyRows() {}

    /**
     * Reads one reply for each lock.
     *
     * @param names of the locks, in the order of the commands
     * @param notifications accepts the payloads that the caller has to send to waiters
     */
    static List<LockReply> read(ResultSet rows, List<LockName> names, Consumer<String> notifications)
            throws SQLException {
        LockReply[] replies = new LockReply[names.size()];
        while (rows.next()) {
            int at = rows.getInt("reply_command") - 1;
            if (at < 0) {
                notifications.accept(rows.getString("reply"));
            } else {
                replies[at] = reply(names.get(at), rows);
            }
        }
        return List.of(replies);
    }

    /** Whether the batch was on the disk, and confirmed by synchronous standbys, before the server replied: true for grants. */
    static boolean areConfirmed(List<LockReply> replies) {
        return replies.stream().anyMatch(LockReply.Granted.class::isInstance);
    }

    private static LockReply reply(LockName name, ResultSet row) throws SQLException {
        String reply = row.getString("reply");
        return switch (reply) {
            case "granted" -> new LockReply.Granted(number(row), micros(row));
            case "queued" -> new LockReply.Queued(QueueTimes.retryAfter(micros(row), (int) number(row)));
            case "busy" -> new LockReply.Busy(retryAfter(micros(row)));
            case "gone" -> new LockReply.Gone();
            case "released" -> new LockReply.Released(true);
            case "absent" -> new LockReply.Released(false);
            case "exhausted" ->
                new LockReply.Unavailable(new LockUnavailableException(
                        "no token is left above " + number(row) + " for " + name + ": tokens end at 2^53 - 1", null));
            case "hidden" ->
                new LockReply.Unavailable(new LockUnavailableException(
                        "the row of the lock " + name + " in the table holdfast_lock can neither be read nor created:"
                                + " row-level security or a trigger hides it, and has to be removed from the table",
                        null));
            case "stale_term" -> new LockReply.Unavailable(new StaleTermException(row.getString("reply_cause")));
            default -> throw new SQLException("unknown reply '" + reply + "' for the lock " + name);
        };
    }

    private static Duration retryAfter(Duration left) {
        return left.isNegative() || left.compareTo(RETRY_AFTER) > 0 ? RETRY_AFTER : left;
    }

    private static long number(ResultSet row) throws SQLException {
        return row.getLong("reply_number");
    }

    private static Duration micros(ResultSet row) throws SQLException {
        return Duration.of(row.getLong("reply_micros"), ChronoUnit.MICROS);
    }
}
