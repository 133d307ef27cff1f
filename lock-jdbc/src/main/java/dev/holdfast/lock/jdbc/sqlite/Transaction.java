package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.database.Limits;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** The steps, one after the other, at one instant: nobody else writes meanwhile. */
final class Transaction {

    /** Who does not queue has to ask again: soon, as the database is in the same machine. */
    private static final Duration SOON = Duration.ofMillis(25);

    private final Statements statements;
    private final long now;

    /** @param now microseconds since 1970, read after the transaction began */
    Transaction(Statements statements, long now) {
        this.statements = statements;
        this.now = now;
    }

    Answer carryOut(Step step) throws SQLException {
        Row row = statements.row(step.name().value());
        if (step instanceof Step.Acquire acquire) {
            return acquire(acquire, row);
        } else if (step instanceof Step.Renew renew) {
            return renew(renew, row);
        } else {
            return release((Step.Release) step, row);
        }
    }

    private Answer acquire(Step.Acquire step, Row row) throws SQLException {
        String name = step.name().value();
        byte[] id = bytes(step.id());
        if (row.isHeldBy(id, now)) {
            return new Answer.Granted(row.token(), Duration.of(row.until() - now, ChronoUnit.MICROS));
        } else if (row.isOf(id) || statements.isRemembered(name, id, now)) {
            return new Answer.Gone();
        }
        if (row.id() == null) {
            statements.dropQueue(name); // of a row that somebody deleted by hand
        }
        Queue queue = new Queue(statements, name, now);
        if (row.isBusy(now)) {
            return notBefore(row.until(), step, queue);
        }
        Queue.Turn turn = queue.first(row.freeSince(), id);
        if (turn != null && !turn.ticket().isOf(id)) {
            return notBefore(turn.since(), step, queue);
        }
        long last = Math.max(Math.max(row.token(), step.above()), statements.floor());
        if (last >= Answer.Granted.MAX_TOKEN) {
            return new Answer.Unavailable(new LockUnavailableException(
                    "no token is left above " + last + " for " + step.name() + ": tokens end at 2^53 - 1", null));
        }
        long length = Limits.micros(step.length());
        byte[] expired = row.id();
        if (expired != null && row.state().equals(Row.HELD)) {
            statements.remember(name, expired, now + length); // its holder died or stalled, and may still ask once more
        }
        if (turn != null) {
            queue.leave(id);
        }
        long token = Math.max(last + 1, Math.min(now, Answer.Granted.MAX_TOKEN));
        statements.grant(name, token, id, Limits.text(step.owner()), now, now + length);
        return new Answer.Granted(token, Duration.of(length, ChronoUnit.MICROS));
    }

    private Answer notBefore(long free, Step.Acquire step, Queue queue) throws SQLException {
        Duration left = Duration.of(free - now, ChronoUnit.MICROS);
        if (step.queue()) {
            return new Answer.Waiting(
                    QueueTimes.askAgain(left, queue.enter(bytes(step.id()), Limits.text(step.owner()))));
        }
        return new Answer.Busy(left.isNegative() || left.compareTo(SOON) > 0 ? SOON : left);
    }

    private Answer renew(Step.Renew step, Row row) throws SQLException {
        if (!row.isHeldBy(bytes(step.id()), now)) {
            return new Answer.Gone();
        }
        long until = Math.max(row.until(), now + Limits.micros(step.length()));
        statements.renew(step.name().value(), until);
        return new Answer.Granted(row.token(), Duration.of(until - now, ChronoUnit.MICROS));
    }

    private Answer release(Step.Release step, Row row) throws SQLException {
        String name = step.name().value();
        byte[] id = bytes(step.id());
        boolean held = row.isHeldBy(id, now);
        if (held) {
            long kept = row.since() + Limits.micros(step.keep());
            statements.release(name, Math.max(kept, now), kept > now ? Row.KEPT : Row.FREE);
        } else if (row.isBusy(now)) {
            new Queue(statements, name, now).leaveBusyLock(id);
        } else {
            new Queue(statements, name, now).leaveFreeLock(id, row.freeSince());
        }
        if (!step.remember().isZero()) {
            statements.remember(name, id, now + Limits.micros(step.remember()));
        }
        return new Answer.Released(held);
    }

    private static byte[] bytes(AcquisitionId id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.high())
                .putLong(id.low())
                .array();
    }
}
