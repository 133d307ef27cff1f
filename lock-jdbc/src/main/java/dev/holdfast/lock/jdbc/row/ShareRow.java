package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Share;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * A share that is out of a lock. Times are microseconds since 1970.
 *
 * @param owner the description that the holder gave of itself
 * @param expiresAt the end of the lease or of the minimum hold
 * @param isHeld whether it is held; if not, it is in its minimum hold
 */
record ShareRow(
        AcquisitionId id, Share share, long token, String owner, long grantedAt, long expiresAt, boolean isHeld) {

    static ShareRow read(ResultSet row) throws SQLException {
        return new ShareRow(
                LockKey.fromColumn(row.getBytes("id")),
                new Share(row.getInt("permits"), row.getInt("permit_limit")),
                row.getLong("token"),
                row.getString("owner"),
                row.getLong("granted_at"),
                row.getLong("expires_at"),
                row.getString("state").equals(LockRow.HELD));
    }

    void addTo(Map<String, Object> parameters) {
        parameters.put("permits", share.permits());
        parameters.put("permit_limit", share.limit());
        parameters.put("token", token);
        parameters.put("owner", owner);
        parameters.put("granted_at", grantedAt);
        parameters.put("expires_at", expiresAt);
        parameters.put("state", state());
    }

    String state() {
        return isHeld ? LockRow.HELD : LockRow.MINIMUM_HOLD;
    }

    boolean isOver(long now) {
        return expiresAt <= now;
    }

    ShareRow renewed(long end) {
        return new ShareRow(id, share, token, owner, grantedAt, end, true);
    }

    /** The share in its minimum hold. */
    ShareRow kept(long end) {
        return new ShareRow(id, share, token, owner, grantedAt, end, false);
    }
}
