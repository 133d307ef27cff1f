package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was used recently. Times are microseconds since 1970.
 *
 * @param token of the last grant
 * @param id of the last grant; null before the first
 * @param owner the description that the last holder gave of itself
 * @param grantedAt the time of the last grant
 * @param expiresAt the end of the lease or of the minimum hold
 * @param state held, in its minimum hold, free, or shared
 * @param promotedAt when the first waiter became the first, if that was since the last grant or release; else zero
 */
record LockRow(
        long token,
        @Nullable AcquisitionId id,
        String owner,
        long grantedAt,
        long expiresAt,
        String state,
        long promotedAt) {

    static final String HELD = "held";
    /** The state of a lock that is released, but busy for the minimum hold. */
    static final String MINIMUM_HOLD = "minimum_hold";
    /** Free regardless of the clock: a clock that was set back must not make it busy again. */
    static final String FREE = "free";
    /** The state of a lock of which several holders may have a share: {@link SharedLock} has what counts. */
    static final String SHARED = "shared";

    /** Stands for a lock without a row. */
    static final LockRow NONE = new LockRow(0, null, "", 0, 0, FREE, 0);

    static LockRow read(ResultSet row) throws SQLException {
        byte[] id = row.getBytes("id");
        return new LockRow(
                row.getLong("token"),
                id == null ? null : LockKey.fromColumn(id),
                row.getString("owner"),
                row.getLong("granted_at"),
                row.getLong("expires_at"),
                row.getString("state"),
                row.getLong("promoted_at"));
    }

    void addTo(Map<String, Object> parameters) {
        parameters.put("token", token);
        parameters.put("id", id == null ? null : LockKey.toColumn(id));
        parameters.put("owner", owner);
        parameters.put("granted_at", grantedAt);
        parameters.put("expires_at", expiresAt);
        parameters.put("state", state);
        parameters.put("promoted_at", promotedAt == 0 ? null : promotedAt);
    }

    LockRow renewed(long end) {
        return new LockRow(token, id, owner, grantedAt, end, state, promotedAt);
    }

    /** The row with another state, and the end of what keeps it busy. */
    LockRow released(long end, String newState) {
        return new LockRow(token, id, owner, grantedAt, end, newState, 0);
    }

    /** The row of a lock of which several holders may have a share. */
    LockRow shared(long lastEnd) {
        return new LockRow(token, id, owner, grantedAt, lastEnd, SHARED, promotedAt);
    }

    LockRow promoted(long since, long end) {
        return new LockRow(token, id, owner, grantedAt, end, state, since);
    }

    boolean isShared() {
        return state.equals(SHARED);
    }

    boolean isBusy(long now) {
        return !state.equals(FREE) && expiresAt > now;
    }

    /** Whether the last grant was to this id. */
    boolean hasId(AcquisitionId other) {
        return other.equals(id);
    }

    boolean isHeldBy(AcquisitionId other, long now) {
        return hasId(other) && state.equals(HELD) && isBusy(now);
    }

    /** The time since which the lock, if it is free, is reserved for its first waiter. */
    long reservedSince() {
        return Math.max(expiresAt, promotedAt);
    }
}
