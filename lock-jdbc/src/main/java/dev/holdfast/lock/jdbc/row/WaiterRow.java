package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.support.QueueTimes;

/**
 * A waiter in a queue. Times are microseconds since 1970.
 *
 * @param position ascending; above zero
 * @param seenAt the time at which the waiter last asked, or a moment before
 */
record WaiterRow(AcquisitionId id, long position, long seenAt) {

    static final long TIME_TO_LIVE = SqlValues.micros(QueueTimes.WAITER_TTL);

    /** A time in the future was written before the clock was set back; the waiter, if it lives, takes another position. */
    boolean isDead(long now) {
        return now < seenAt || now >= diesAt();
    }

    long diesAt() {
        return seenAt + TIME_TO_LIVE;
    }
}
