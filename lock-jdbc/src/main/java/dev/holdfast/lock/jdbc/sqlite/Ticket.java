package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.database.Limits;
import dev.holdfast.lock.spi.QueueTimes;
import java.util.Arrays;

/**
 * A place in a queue. Times are microseconds since 1970.
 *
 * @param place the least is the first; above zero
 * @param seen when its waiter last asked, or a moment before
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record Ticket(byte[] id, long place, long seen) {

    static final long TIME = Limits.micros(QueueTimes.TICKET);

    /** A time in the future was written before the clock was set back; its waiter, if it lives, asks for another place. */
    boolean isDead(long now) {
        return now < seen || now >= diesAt();
    }

    long diesAt() {
        return seen + TIME;
    }

    boolean isOf(byte[] other) {
        return Arrays.equals(id, other);
    }
}
