package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads locks from ordered rows, each with a lock and one of its waiters. */
public final class LockInfoRows {

    private final List<LockInfo> locks = new ArrayList<>();
    private @Nullable LockInfo current;
    private final List<LockInfo.Waiter> waiters = new ArrayList<>();

    /** The columns whose types depend on the database. */
    public interface Columns {
        /** The name in the current row. */
        default String name(ResultSet row) throws SQLException {
            return row.getString("name");
        }

        /** The id of the current row. */
        AcquisitionId id(ResultSet row) throws SQLException;

        /** An instant of the current row. */
        Instant instant(ResultSet row, String column) throws SQLException;
    }

    private LockInfoRows() {}

    /**
     * Reads all rows: {@code name}, {@code is_held}, {@code is_minimum_hold}, {@code owner}, {@code token}, {@code granted_at},
     * {@code expires_at}, the columns of the id, and {@code waiter}, which may be null.
     */
    public static List<LockInfo> read(ResultSet rows, Columns columns) throws SQLException {
        LockInfoRows reader = new LockInfoRows();
        while (rows.next()) {
            reader.add(rows, columns);
        }
        reader.complete();
        return reader.locks;
    }

    private void add(ResultSet row, Columns columns) throws SQLException {
        LockName name = name(columns.name(row));
        if (current == null || !current.name().equals(name)) {
            complete();
            Optional<LockInfo.Holder> holder =
                    row.getBoolean("is_held") ? Optional.of(holder(row, columns)) : Optional.empty();
            Optional<Instant> keptUntil = row.getBoolean("is_minimum_hold")
                    ? Optional.of(columns.instant(row, "expires_at"))
                    : Optional.empty();
            current = new LockInfo(name, holder, keptUntil, List.of());
        }
        String waiter = row.getString("waiter");
        if (waiter != null) {
            waiters.add(new LockInfo.Waiter(waiter, Share.EXCLUSIVE));
        }
    }

    private static LockInfo.Holder holder(ResultSet row, Columns columns) throws SQLException {
        return new LockInfo.Holder(
                columns.id(row),
                row.getString("owner"),
                row.getLong("token"),
                columns.instant(row, "granted_at"),
                columns.instant(row, "expires_at"));
    }

    private static LockName name(String text) throws SQLException {
        try {
            return new LockName(text);
        } catch (IllegalArgumentException e) {
            throw new SQLException("holdfast_lock has a row that Holdfast did not write: " + e.getMessage(), e);
        }
    }

    private void complete() {
        if (current != null) {
            locks.add(new LockInfo(current.name(), current.holders(), current.minimumHoldUntil(), waiters));
            waiters.clear();
        }
    }
}
