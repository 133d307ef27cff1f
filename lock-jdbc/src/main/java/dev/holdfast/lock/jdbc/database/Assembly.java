package dev.holdfast.lock.jdbc.database;

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

    /** The columns that each kind of database has in its own way. */
    public interface Columns {
        /** Who holds the lock of the current row. */
        LockInfo.Holder holder(ResultSet row) throws SQLException;

        /** When the lease or the minimum hold ends. */
        Instant until(ResultSet row) throws SQLException;
    }

    /**
     * Takes all rows: {@code name}, {@code is_held}, {@code is_kept}, what the columns need, and {@code waiter}, which may
     * be null.
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
                    row.getBoolean("is_held") ? Optional.of(columns.holder(row)) : Optional.empty();
            Optional<Instant> keptUntil =
                    row.getBoolean("is_kept") ? Optional.of(columns.until(row)) : Optional.empty();
            current = new LockInfo(name, holder, keptUntil, List.of());
        }
        String waiter = row.getString("waiter");
        if (waiter != null) {
            waiters.add(waiter);
        }
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
