package dev.holdfast.lock.jdbc.sqlite;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was used lately. Times are microseconds since 1970.
 *
 * @param token of the last grant
 * @param id of the last grant; null before the first
 * @param since when that was
 * @param until when the lease or the minimum hold ends
 * @param state held, kept or free
 * @param promoted when the first in the queue became the first, if that was since the last grant or release; else zero
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record Row(long token, byte @Nullable [] id, long since, long until, String state, long promoted) {

    static final String HELD = "held";
    /** Given back, but busy for its minimum hold. */
    static final String KEPT = "kept";
    /** Whatever the clock says: a clock that was set back must not make it busy again. */
    static final String FREE = "free";

    /** A lock that nobody used lately. */
    static final Row NONE = new Row(0, null, 0, 0, FREE, 0);

    boolean isBusy(long now) {
        return !state.equals(FREE) && until > now;
    }

    /** Whether this id was the last one to be granted the lock. */
    boolean isOf(byte[] other) {
        return Arrays.equals(id, other);
    }

    boolean isHeldBy(byte[] other, long now) {
        return isOf(other) && state.equals(HELD) && isBusy(now);
    }

    /** Since when the lock, if it is free, is kept for the first in its queue. */
    long freeSince() {
        return Math.max(until, promoted);
    }
}
