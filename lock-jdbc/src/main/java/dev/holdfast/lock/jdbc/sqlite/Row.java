package dev.holdfast.lock.jdbc.sqlite;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was used lately. Times are microseconds since 1970.
 *
 * @param token of the last grant
 * @param id of the last grant; null before the first
 * @param since when that was
 * @param until the lock is busy until then
 * @param ended whether the id gave it back
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record Row(long token, byte @Nullable [] id, long since, long until, boolean ended) {

    /** A lock that nobody used lately. */
    static final Row NONE = new Row(0, null, 0, 0, true);

    boolean isBusy(long now) {
        return until > now;
    }

    /** Whether this id was the last one to be granted the lock. */
    boolean isOf(byte[] other) {
        return Arrays.equals(id, other);
    }

    boolean isHeldBy(byte[] other, long now) {
        return isOf(other) && !ended && isBusy(now);
    }
}
