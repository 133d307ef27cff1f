package org.example.lock.files;

import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Instant;

/**
 * One line of a lock's file: what an id is to the lock. It counts until its end and is as good as not there afterwards.
 *
 * @param token the token of the grant
 * @param since when it was granted
 */
record Entry(State state, AcquisitionId id, long token, Instant since, Instant until) {

    enum State {
        /** The id holds the lock. */
        HELD,
        /** The id has released the lock, which stays busy for the rest of its minimum hold. */
        KEPT,
        /** The id was released and must not be granted, should it ask late. Keeps nobody else from the lock. */
        OVER
    }

    Entry become(State other, Instant end) {
        return new Entry(other, id, token, since, end);
    }

    static Entry parse(String line) {
        String[] parts = line.split(" ");
        AcquisitionId id = new AcquisitionId(
                Long.parseUnsignedLong(parts[1], 0, 16, 16), Long.parseUnsignedLong(parts[1], 16, 32, 16));
        return new Entry(
                State.valueOf(parts[0]),
                id,
                Long.parseLong(parts[2]),
                Instant.parse(parts[3]),
                Instant.parse(parts[4]));
    }

    String line() {
        return state + " " + id + " " + token + " " + since + " " + until;
    }
}
