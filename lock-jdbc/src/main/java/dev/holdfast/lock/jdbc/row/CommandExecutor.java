package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Decides commands one after another, at one instant, in a transaction that has locked the rows of their locks.
 *
 * @param now microseconds since 1970, by the database's clock, read after the rows were locked
 * @param tokenFloor at least the token of every pruned row
 */
record CommandExecutor(long now, long tokenFloor) {

    /** The pause before a caller that does not queue asks again. */
    private static final Duration RETRY_AFTER = Duration.ofMillis(25);

    /** @param lock the command's lock, as the commands before this one left it */
    LockReply execute(LockCommand command, LockState lock) throws SQLException {
        SharedLock shared = lock.shared();
        if (shared != null) {
            return new SharedExecutor(this, now).execute(command, lock, shared);
        } else if (command instanceof LockCommand.Acquire acquire) {
            return acquire(acquire, lock);
        } else if (command instanceof LockCommand.Renew renew) {
            return renew(renew, lock);
        } else {
            return release((LockCommand.Release) command, lock);
        }
    }

    private LockReply acquire(LockCommand.Acquire command, LockState lock) throws SQLException {
        AcquisitionId id = command.id();
        LockRow row = lock.row();
        if (row.isHeldBy(id, now)) {
            return new LockReply.Granted(row.token(), Duration.of(row.expiresAt() - now, ChronoUnit.MICROS));
        } else if (row.hasId(id) || lock.hasTombstone(id, now)) {
            return new LockReply.Gone();
        }
        if (row.id() == null) {
            lock.waiters().clear(); // of a row that was deleted by hand
        }
        WaiterQueue queue = new WaiterQueue(lock, now);
        if (row.isBusy(now)) {
            return refuse(row.expiresAt(), command, queue);
        }
        WaiterQueue.Turn turn = queue.removeLostAndFindFirst(row.reservedSince(), id);
        if (turn != null && !turn.waiter().id().equals(id)) {
            return refuse(turn.since(), command, queue);
        }
        long last = lastToken(command, row);
        if (last >= LockReply.Granted.MAX_TOKEN) {
            return exhausted(last, command);
        }
        long lease = SqlValues.micros(command.lease());
        AcquisitionId expired = row.id();
        if (expired != null && row.state().equals(LockRow.HELD)) {
            lock.addTombstone(expired, now + lease); // its holder died or stalled, and may still ask once more
        }
        if (turn != null) {
            queue.remove(id);
        }
        long token = tokenAfter(last);
        lock.grant(new LockRow(token, id, SqlValues.text(command.owner()), now, now + lease, LockRow.HELD, 0));
        return new LockReply.Granted(token, Duration.of(lease, ChronoUnit.MICROS));
    }

    /** The greatest token that the grant of an acquire must exceed. */
    long lastToken(LockCommand.Acquire command, LockRow row) {
        return Math.max(Math.max(row.token(), command.tokenFloor()), tokenFloor);
    }

    long tokenAfter(long last) {
        return Math.max(last + 1, Math.min(now, LockReply.Granted.MAX_TOKEN));
    }

    static LockReply exhausted(long last, LockCommand.Acquire command) {
        return new LockReply.Unavailable(new LockUnavailableException(
                "no token is left above " + last + " for " + command.name() + ": tokens end at 2^53 - 1", null));
    }

    /** @param left until the lock is free; negative if that is not known */
    static LockReply busy(Duration left) {
        return new LockReply.Busy(left.isNegative() || left.compareTo(RETRY_AFTER) > 0 ? RETRY_AFTER : left);
    }

    private LockReply refuse(long freeAt, LockCommand.Acquire command, WaiterQueue queue) throws SQLException {
        Duration left = Duration.of(freeAt - now, ChronoUnit.MICROS);
        if (command.queue()) {
            return new LockReply.Queued(
                    QueueTimes.retryAfter(left, queue.enqueue(command.id(), SqlValues.text(command.owner()))));
        }
        return busy(left);
    }

    private LockReply renew(LockCommand.Renew command, LockState lock) {
        LockRow row = lock.row();
        if (!row.isHeldBy(command.id(), now)) {
            return new LockReply.Gone();
        }
        long expiresAt = Math.max(row.expiresAt(), now + SqlValues.micros(command.lease()));
        lock.change(row.renewed(expiresAt));
        return new LockReply.Granted(row.token(), Duration.of(expiresAt - now, ChronoUnit.MICROS));
    }

    private LockReply release(LockCommand.Release command, LockState lock) throws SQLException {
        AcquisitionId id = command.id();
        LockRow row = lock.row();
        boolean held = row.isHeldBy(id, now);
        if (held) {
            long holdEndsAt = row.grantedAt() + SqlValues.micros(command.minimumHold());
            lock.change(
                    row.released(Math.max(holdEndsAt, now), holdEndsAt > now ? LockRow.MINIMUM_HOLD : LockRow.FREE));
        } else if (row.isBusy(now)) {
            new WaiterQueue(lock, now).removeFromBusyLock(id);
        } else {
            new WaiterQueue(lock, now).removeFromFreeLock(id, row.reservedSince());
        }
        if (!command.tombstone().isZero()) {
            lock.addTombstone(id, now + SqlValues.micros(command.tombstone()));
        }
        return new LockReply.Released(held);
    }
}
