package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes locks of rows that hold a lock and one of its waiters each, in their order. */
public final class Assembly {

    private final List<LockInfo> locks = new ArrayList<>();
    private @Nullable LockInfo current;
    private final List<String> waiters = new ArrayList<>();

    /** What each kind of database holds in its own way. */
    public interface Columns {
        /** Who holds the lock of the current row. */
        AcquisitionId id(ResultSet row) throws SQLException;

        /** An instant of the current row. */
        Instant instant(ResultSet row, String column) throws SQLException;
    }

    /**
     * Takes all rows: {@code name}, {@code is_held}, {@code is_kept}, {@code owner}, {@code token}, {@code since},
     * {@code until}, what the id is read from, and {@code waiter}, which may be null.
     */
    public static List<LockInfo> of(ResultSet rows, Columns columns) throws SQLException {
        Assembly assembly = new Assembly();
        while (rows.next()) {
            assembly.add(rows, columns);
        }
        assembly.complete();
        return assembly.locks;
    }

    private void add(ResultSet row, Columns columns) throws SQLException {
        LockName name = name(row.getString("name"));
        if (current == null || !current.name().equals(name)) {
            complete();
            Optional<LockInfo.Holder> holder =
                    row.getBoolean("is_held") ? Optional.of(holder(row, columns)) : Optional.empty();
            Optional<Instant> keptUntil =
                    row.getBoolean("is_kept") ? Optional.of(columns.instant(row, "until")) : Optional.empty();
            current = new LockInfo(name, holder, keptUntil, List.of());
        }
        String waiter = row.getString("waiter");
        if (waiter != null) {
            waiters.add(waiter);
        }
    }

    private static LockInfo.Holder holder(ResultSet row, Columns columns) throws SQLException {
        return new LockInfo.Holder(
                columns.id(row),
                row.getString("owner"),
                row.getLong("token"),
                columns.instant(row, "since"),
                columns.instant(row, "until"));
    }

    private static LockName name(String text) throws SQLException {
        try {
            return new LockName(text);
        } catch (IllegalArgumentException e) {
            throw new SQLException("there is a row that Holdfast did not write: " + e.getMessage(), e);
        }
    }

    private void complete() {
        if (current != null) {
            locks.add(new LockInfo(current.name(), current.holder(), current.keptUntil(), waiters));
            waiters.clear();
        }
    }
}
