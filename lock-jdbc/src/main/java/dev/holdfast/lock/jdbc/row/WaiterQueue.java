package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The waiters of one lock, in order of arrival, within a transaction that has locked the row of the lock. */
final class WaiterQueue {

    private static final long CLAIM_WINDOW = SqlValues.micros(QueueTimes.CLAIM_WINDOW);

    /** A waiter that asks again within this time is not written again: a write waits for the disk. */
    private static final long REFRESH_AFTER = 1_000_000;

    /** Beyond this number, {@link QueueTimes#retryAfter} makes no difference. */
    private static final int MAX_COUNTED_BEFORE = 4;

    private final LockState lock;
    private final Waiters waiters;
    private final long now;

    WaiterQueue(LockState lock, long now) {
        this.lock = lock;
        this.waiters = lock.waiters();
        this.now = now;
    }

    /**
     * The first waiter, for which a free lock is reserved.
     *
     * @param since the start of its claim window
     */
    record Turn(WaiterRow waiter, long since) {}

    /**
     * Removes the dead waiters at the front, and returns the first one left.
     *
     * @param reservedSince when the lock became free, or its first waiter became the first
     * @return null if the queue is empty
     */
    @Nullable
    Turn removeDeadAndFindFirst(long reservedSince) throws SQLException {
        return removeLostAndFindFirst(reservedSince, null);
    }

    /**
     * Does the same, and also removes waiters that let their claim window at the free lock pass, but never the one that asks.
     *
     * @param asking the id that asks for the lock; null if none does
     */
    @Nullable
    Turn removeLostAndFindFirst(long reservedSince, @Nullable AcquisitionId asking) throws SQLException {
        long since = reservedSince;
        boolean removed = false;
        WaiterRow first = waiters.first();
        while (first != null && (first.isDead(now) || hasMissedTurn(first, since, asking))) {
            waiters.remove(first);
            if (!wasNeverFirst(first, reservedSince)) {
                since = now;
            }
            removed = true;
            first = waiters.first();
        }
        if (removed) {
            promote(since);
        }
        return first == null ? null : new Turn(first, since);
    }

    /** Whether the waiter was dead before the lock became free: the claim window of the next one began then. */
    private boolean wasNeverFirst(WaiterRow waiter, long reservedSince) {
        return waiter.isDead(now) && waiter.diesAt() <= reservedSince;
    }

    /** A time in the future was written before the clock was set back, and counts as over. */
    private boolean hasMissedTurn(WaiterRow first, long since, @Nullable AcquisitionId asking) {
        return asking != null && !first.id().equals(asking) && (now < since || now >= since + CLAIM_WINDOW);
    }

    /** Records the start of a free lock's reservation for its first waiter, which was not the first when the lock became free. */
    private void promote(long since) {
        lock.change(lock.row().promoted(since, Math.min(lock.row().expiresAt(), now)));
    }

    /**
     * Takes a position; a repetition keeps its position, unless it comes after the waiter's time to live.
     *
     * @return the number of waiters ahead, as far as it matters
     */
    int enqueue(AcquisitionId id, String owner) throws SQLException {
        WaiterRow waiter = waiters.find(id);
        if (waiter == null) {
            waiter = waiters.append(id, owner, now);
        } else if (waiter.isDead(now)) {
            long left = waiter.position();
            waiter = waiters.append(id, owner, now);
            notifyFirstAfter(left, id);
        } else if (now - waiter.seenAt() > REFRESH_AFTER) {
            waiters.replace(new WaiterRow(id, waiter.position(), now), owner);
        }
        return waiters.countLivingBefore(waiter.position(), now, MAX_COUNTED_BEFORE);
    }

    /** Removes a waiter; null if there is none. */
    @Nullable
    WaiterRow remove(AcquisitionId id) throws SQLException {
        WaiterRow waiter = waiters.find(id);
        if (waiter != null) {
            waiters.remove(waiter);
        }
        return waiter;
    }

    /** Removes a waiter of a busy lock: if it was the first, the next one is notified. */
    void removeFromBusyLock(AcquisitionId id) throws SQLException {
        WaiterRow removed = remove(id);
        if (removed != null) {
            notifyFirstAfter(removed.position(), id);
        }
    }

    /** Notifies the first waiter if it is behind the position that another one has left. */
    private void notifyFirstAfter(long position, AcquisitionId other) throws SQLException {
        WaiterRow first = waiters.firstLiving(now);
        if (first != null && first.position() > position && !first.id().equals(other)) {
            // Records that the queue of a busy lock has a new first waiter, which is notified by this.
            lock.change(lock.row().promoted(now, lock.row().expiresAt()));
        }
    }

    /** Removes a waiter of a free lock: if it was the first, the claim window of the next one begins. */
    void removeFromFreeLock(AcquisitionId id, long reservedSince) throws SQLException {
        WaiterRow removed = remove(id);
        if (removed == null) {
            return;
        }
        Turn next = removeDeadAndFindFirst(reservedSince);
        if (next != null && next.waiter().position() > removed.position() && !wasNeverFirst(removed, reservedSince)) {
            promote(now);
        }
    }
}
