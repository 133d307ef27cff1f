package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.schema.SqlValues;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Executes commands one after the other, at one instant, in a transaction to which the rows of their locks belong. */
final class CommandExecutor {

    /** A caller that does not queue asks again after this. */
    private static final Duration RETRY_AFTER = Duration.ofMillis(25);

    private static final long UNREAD = Long.MIN_VALUE;

    private final LockStatements statements;

    /** Microseconds since 1970, by the database's clock. */
    private long now = UNREAD;

    /** @param statements of a transaction that has locked the rows, or that excludes all other writes */
    CommandExecutor(LockStatements statements) {
        this.statements = statements;
    }

    /** The clock, read once, by the first command: all rows were locked before. */
    long now() throws SQLException {
        if (now == UNREAD) {
            now = statements.readClock();
        }
        return now;
    }

    /** @param row of the command's lock, as the commands before this one left it */
    LockReply execute(LockCommand command, LockRow row) throws SQLException {
        if (command instanceof LockCommand.Acquire acquire) {
            return acquire(acquire, row);
        } else if (command instanceof LockCommand.Renew renew) {
            return renew(renew, row);
        } else {
            return release((LockCommand.Release) command, row);
        }
    }

    private LockReply acquire(LockCommand.Acquire command, LockRow row) throws SQLException {
        String name = command.name().value();
        byte[] id = bytes(command.id());
        LockStatements.Facts facts = statements.readFacts(name, id);
        if (now == UNREAD) {
            now = facts.now();
        }
        if (row.isHeldBy(id, now)) {
            return new LockReply.Granted(row.token(), Duration.of(row.expiresAt() - now, ChronoUnit.MICROS));
        } else if (row.hasId(id) || facts.hasTombstone()) {
            return new LockReply.Gone();
        }
        WaiterRow firstWaiter = facts.firstWaiter();
        if (row.id() == null && firstWaiter != null) {
            statements.clearQueue(name); // of a row that was deleted by hand
            firstWaiter = null;
        }
        WaiterQueue queue = new WaiterQueue(statements, name, now);
        if (row.isBusy(now)) {
            return refuse(row.expiresAt(), command, queue);
        }
        WaiterQueue.Turn turn = queue.removeLostAndFindFirst(firstWaiter, row.reservedSince(), id);
        if (turn != null && !turn.waiter().hasId(id)) {
            return refuse(turn.since(), command, queue);
        }
        long last = Math.max(Math.max(row.token(), command.tokenFloor()), facts.tokenFloor());
        if (last >= LockReply.Granted.MAX_TOKEN) {
            return new LockReply.Unavailable(new LockUnavailableException(
                    "no token is left above " + last + " for " + command.name() + ": tokens end at 2^53 - 1", null));
        }
        long lease = SqlValues.micros(command.lease());
        byte[] expired = row.id();
        if (expired != null && row.state().equals(LockRow.HELD)) {
            statements.addTombstone(
                    name, expired, now + lease); // its holder died or stalled, and may still ask once more
        }
        if (turn != null) {
            queue.remove(id);
        }
        long token = Math.max(last + 1, Math.min(now, LockReply.Granted.MAX_TOKEN));
        statements.grant(name, token, id, SqlValues.text(command.owner()), now, now + lease);
        return new LockReply.Granted(token, Duration.of(lease, ChronoUnit.MICROS));
    }

    private LockReply refuse(long freeAt, LockCommand.Acquire command, WaiterQueue queue) throws SQLException {
        Duration left = Duration.of(freeAt - now, ChronoUnit.MICROS);
        if (command.queue()) {
            return new LockReply.Queued(
                    QueueTimes.retryAfter(left, queue.enqueue(bytes(command.id()), SqlValues.text(command.owner()))));
        }
        return new LockReply.Busy(left.isNegative() || left.compareTo(RETRY_AFTER) > 0 ? RETRY_AFTER : left);
    }

    private LockReply renew(LockCommand.Renew command, LockRow row) throws SQLException {
        if (!row.isHeldBy(bytes(command.id()), now())) {
            return new LockReply.Gone();
        }
        long expiresAt = Math.max(row.expiresAt(), now + SqlValues.micros(command.lease()));
        statements.renew(command.name().value(), expiresAt);
        return new LockReply.Granted(row.token(), Duration.of(expiresAt - now, ChronoUnit.MICROS));
    }

    private LockReply release(LockCommand.Release command, LockRow row) throws SQLException {
        String name = command.name().value();
        byte[] id = bytes(command.id());
        boolean held = row.isHeldBy(id, now());
        if (held) {
            long holdEndsAt = row.grantedAt() + SqlValues.micros(command.minimumHold());
            statements.release(name, Math.max(holdEndsAt, now), holdEndsAt > now ? LockRow.MINIMUM_HOLD : LockRow.FREE);
        } else if (row.isBusy(now)) {
            new WaiterQueue(statements, name, now).removeFromBusyLock(id);
        } else {
            new WaiterQueue(statements, name, now).removeFromFreeLock(id, row.reservedSince());
        }
        if (!command.tombstone().isZero()) {
            statements.addTombstone(name, id, now + SqlValues.micros(command.tombstone()));
        }
        return new LockReply.Released(held);
    }

    static byte[] bytes(AcquisitionId id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.high())
                .putLong(id.low())
                .array();
    }
}
