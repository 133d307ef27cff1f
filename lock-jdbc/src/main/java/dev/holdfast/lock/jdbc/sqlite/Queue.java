package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.database.Limits;
import dev.holdfast.lock.spi.QueueTimes;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Who waits for one lock, in the order in which they came. Nobody else writes meanwhile. */
final class Queue {

    private static final long RESERVATION = Limits.micros(QueueTimes.RESERVATION);

    /** Who has asked a moment ago need not be written down again: to write is to wait for the disk. */
    private static final long MOMENT = 1_000_000;

    private final Statements statements;
    private final String name;
    private final long now;

    Queue(Statements statements, String name, long now) {
        this.statements = statements;
        this.name = name;
        this.now = now;
    }

    /**
     * The first for whom a free lock is kept.
     *
     * @param since when it began to be kept
     */
    record Turn(Ticket ticket, long since) {}

    /**
     * Drops from the front whoever has not asked for a ticket's time, and tells who is the first then.
     *
     * @param freeSince when the lock became free, or its first the first
     * @return null if nobody waits
     */
    @Nullable
    Turn first(long freeSince) throws SQLException {
        return first(freeSince, null);
    }

    /**
     * As above; and drops also whoever had its chance at the free lock and let it pass, but never the one who asks.
     *
     * @param asking who asks for the lock; null if nobody does
     */
    @Nullable
    Turn first(long freeSince, byte @Nullable [] asking) throws SQLException {
        long since = freeSince;
        boolean dropped = false;
        Ticket first = statements.first(name);
        while (first != null && (first.isDead(now) || hasPassed(first, since, asking))) {
            statements.leave(name, first.id());
            // Whoever was dead before the lock became free was never the first of a free lock.
            if (!first.isDead(now) || first.diesAt() > freeSince) {
                since = now;
            }
            dropped = true;
            first = statements.first(name);
        }
        if (dropped) {
            statements.promote(name, since, now);
        }
        return first == null ? null : new Turn(first, since);
    }

    /** As for a ticket, a time in the future is over. */
    private boolean hasPassed(Ticket first, long since, byte @Nullable [] asking) {
        return asking != null && !first.isOf(asking) && (now < since || now >= since + RESERVATION);
    }

    /**
     * Takes a place; a repetition keeps its place, unless it comes after a ticket's time.
     *
     * @return how many wait before, of those that matter
     */
    int enter(byte[] id, String owner) throws SQLException {
        Ticket ticket = statements.ticket(name, id);
        long place;
        if (ticket == null || ticket.isDead(now)) {
            place = statements.enter(name, id, owner, now);
            if (ticket != null) {
                tellNextAfter(ticket.place(), id);
            }
        } else {
            place = ticket.place();
            if (now - ticket.seen() > MOMENT) {
                statements.refresh(name, id, now);
            }
        }
        return statements.before(name, place, now);
    }

    /** Takes this one out, and tells its place; zero if it had none. */
    long leave(byte[] id) throws SQLException {
        Ticket ticket = statements.ticket(name, id);
        if (ticket == null) {
            return 0;
        }
        statements.leave(name, id);
        return ticket.place();
    }

    /** Takes this one out while the lock is busy: if it was the first, the next is told. */
    void leaveBusyLock(byte[] id) throws SQLException {
        long place = leave(id);
        if (place > 0) {
            tellNextAfter(place, id);
        }
    }

    /** Tells the first that it is, if it was behind this place, which another has left. */
    private void tellNextAfter(long place, byte[] other) throws SQLException {
        Ticket first = statements.firstLiving(name, now);
        if (first != null && first.place() > place && !first.isOf(other)) {
            statements.promoteBusy(name, now);
        }
    }

    /** Takes this one out while the lock is free: if it was the first, the lock is kept for the next from now on. */
    void leaveFreeLock(byte[] id, long freeSince) throws SQLException {
        long place = leave(id);
        if (place > 0) {
            Turn next = first(freeSince);
            if (next != null && next.ticket().place() > place) {
                statements.promote(name, now, now);
            }
        }
    }
}
