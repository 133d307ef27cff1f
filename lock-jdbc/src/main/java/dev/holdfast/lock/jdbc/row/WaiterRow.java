package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.schema.SqlValues;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A waiter in a queue. Times are microseconds since 1970.
 *
 * @param position ascending; above zero
 * @param seenAt when the waiter last asked, or a moment before
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record WaiterRow(byte[] id, long position, long seenAt) {

    static final long TIME_TO_LIVE = SqlValues.micros(QueueTimes.WAITER_TTL);

    /** A time in the future was written before the clock was set back; the waiter, if it lives, takes another position. */
    boolean isDead(long now) {
        return now < seenAt || now >= diesAt();
    }

    long diesAt() {
        return seenAt + TIME_TO_LIVE;
    }

    /** The id in a column. */
    static AcquisitionId acquisition(byte[] id) {
        ByteBuffer bytes = ByteBuffer.wrap(id);
        return new AcquisitionId(bytes.getLong(), bytes.getLong());
    }

    boolean hasId(byte[] other) {
        return Arrays.equals(id, other);
    }
}
