package dev.holdfast.lock.jdbc.row;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was used recently. Times are microseconds since 1970.
 *
 * @param token of the last grant
 * @param id of the last grant; null before the first
 * @param grantedAt the time of the last grant
 * @param expiresAt the end of the lease or of the minimum hold
 * @param state held, in its minimum hold, or free
 * @param promotedAt when the first waiter became the first, if that was since the last grant or release; else zero
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record LockRow(long token, byte @Nullable [] id, long grantedAt, long expiresAt, String state, long promotedAt) {

    static final String HELD = "held";
    /** Released, but busy for the minimum hold. */
    static final String MINIMUM_HOLD = "minimum_hold";
    /** Free whatever the clock says: a clock that was set back must not make it busy again. */
    static final String FREE = "free";

    /** A lock without a row. */
    static final LockRow NONE = new LockRow(0, null, 0, 0, FREE, 0);

    boolean isBusy(long now) {
        return !state.equals(FREE) && expiresAt > now;
    }

    /** Whether this id got the last grant. */
    boolean hasId(byte[] other) {
        return Arrays.equals(id, other);
    }

    boolean isHeldBy(byte[] other, long now) {
        return hasId(other) && state.equals(HELD) && isBusy(now);
    }

    /** Since when the lock, if it is free, is reserved for its first waiter. */
    long reservedSince() {
        return Math.max(expiresAt, promotedAt);
    }
}
