package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.schema.SqlValues;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The waiters of one lock, in the order in which they came, within a transaction to which the row of the lock belongs. */
final class WaiterQueue {

    private static final long CLAIM_WINDOW = SqlValues.micros(QueueTimes.CLAIM_WINDOW);

    /** A waiter that asks again within this is not written again: a write waits for the disk. */
    private static final long REFRESH_AFTER = 1_000_000;

    private final LockStatements statements;
    private final String name;
    private final long now;

    WaiterQueue(LockStatements statements, String name, long now) {
        this.statements = statements;
        this.name = name;
        this.now = now;
    }

    /**
     * The first waiter, for which a free lock is reserved.
     *
     * @param since when its claim window began
     */
    record Turn(WaiterRow waiter, long since) {}

    /**
     * Removes the dead waiters at the front, and returns the first then.
     *
     * @param reservedSince when the lock became free, or its first waiter the first
     * @return null if the queue is empty
     */
    @Nullable
    Turn removeDeadAndFindFirst(long reservedSince) throws SQLException {
        return removeLostAndFindFirst(statements.findFirstWaiter(name), reservedSince, null);
    }

    /**
     * As above; removes also waiters that let their claim window at the free lock pass, but never the one that asks.
     *
     * @param front the first waiter, dead or not; null if the queue is empty
     * @param asking the id that asks for the lock; null if none does
     */
    @Nullable
    Turn removeLostAndFindFirst(@Nullable WaiterRow front, long reservedSince, byte @Nullable [] asking)
            throws SQLException {
        long since = reservedSince;
        boolean removed = false;
        WaiterRow first = front;
        while (first != null && (first.isDead(now) || hasMissedTurn(first, since, asking))) {
            statements.dequeue(name, first.id());
            // A waiter that was dead before the lock became free was never the first of a free lock.
            if (!first.isDead(now) || first.diesAt() > reservedSince) {
                since = now;
            }
            removed = true;
            first = statements.findFirstWaiter(name);
        }
        if (removed) {
            statements.promoteWaiter(name, since, now);
        }
        return first == null ? null : new Turn(first, since);
    }

    /** A time in the future was written before the clock was set back, and counts as over. */
    private boolean hasMissedTurn(WaiterRow first, long since, byte @Nullable [] asking) {
        return asking != null && !first.hasId(asking) && (now < since || now >= since + CLAIM_WINDOW);
    }

    /**
     * Takes a position; a repetition keeps its position, unless it comes after the waiter's time to live.
     *
     * @return how many waiters come before, of those that matter
     */
    int enqueue(byte[] id, String owner) throws SQLException {
        WaiterRow waiter = statements.findWaiter(name, id);
        long position;
        if (waiter == null) {
            position = statements.enqueue(name, id, owner, now);
        } else if (waiter.isDead(now)) {
            position = statements.requeue(name, id, now);
            notifyFirstAfter(waiter.position(), id);
        } else {
            position = waiter.position();
            if (now - waiter.seenAt() > REFRESH_AFTER) {
                statements.refreshWaiter(name, id, now);
            }
        }
        return statements.countWaitersBefore(name, position, now);
    }

    /** Removes a waiter, and returns its position; zero if it had none. */
    long remove(byte[] id) throws SQLException {
        WaiterRow waiter = statements.findWaiter(name, id);
        if (waiter == null) {
            return 0;
        }
        statements.dequeue(name, id);
        return waiter.position();
    }

    /** Removes a waiter of a busy lock: if it was the first, the next one is notified. */
    void removeFromBusyLock(byte[] id) throws SQLException {
        long position = remove(id);
        if (position > 0) {
            notifyFirstAfter(position, id);
        }
    }

    /** Notifies the first waiter, if it comes after the position that another one has left. */
    private void notifyFirstAfter(long position, byte[] other) throws SQLException {
        WaiterRow first = statements.findFirstLivingWaiter(name, now);
        if (first != null && first.position() > position && !first.hasId(other)) {
            statements.promoteWaiterOfBusyLock(name, now);
        }
    }

    /** Removes a waiter of a free lock: if it was the first, the claim window of the next one begins. */
    void removeFromFreeLock(byte[] id, long reservedSince) throws SQLException {
        long position = remove(id);
        if (position > 0) {
            Turn next = removeDeadAndFindFirst(reservedSince);
            if (next != null && next.waiter().position() > position) {
                statements.promoteWaiter(name, now, now);
            }
        }
    }
}
