package org.example.lock.files;

import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Instant;

/**
 * One line of a lock's file: the state of one id, until the entry expires.
 *
 * @param token the token of the grant
 * @param since when the lock was granted
 * @param until when the entry expires
 */
record Entry(State state, AcquisitionId id, long token, Instant since, Instant until) {

    enum State {
        /** The id holds the lock. */
        HELD,
        /** The id has released the lock, which stays busy until the end of the minimum hold. */
        KEPT,
        /** A tombstone: the id was released, and a late acquire must not be granted. The lock is free for other ids. */
        TOMBSTONE
    }

    Entry with(State other, Instant end) {
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
