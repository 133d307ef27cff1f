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

/** Reads locks from ordered rows, each with a holder, a minimum hold or a waiter of a lock. */
public final class LockInfoRows {

    private final List<LockInfo> locks = new ArrayList<>();
    private @Nullable LockName current;
    private final List<LockInfo.Holder> holders = new ArrayList<>();
    private Optional<Instant> keptUntil = Optional.empty();
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
     * Reads all rows: {@code name}, {@code kind}, which is holder, minimum_hold or waiter, {@code owner}, {@code token}, {@code
     * granted_at}, {@code expires_at}, {@code permits}, {@code permit_limit}, and the columns of the id. Those of a name follow each
     * other: its holders in the order of their tokens, and its waiters in the order of the queue.
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
        if (!name.equals(current)) {
            complete();
            current = name;
        }
        Share share = new Share(row.getInt("permits"), row.getInt("permit_limit"));
        switch (row.getString("kind")) {
            case "holder" ->
                holders.add(new LockInfo.Holder(
                        columns.id(row),
                        row.getString("owner"),
                        row.getLong("token"),
                        columns.instant(row, "granted_at"),
                        columns.instant(row, "expires_at"),
                        share));
            case "minimum_hold" -> {
                Instant until = columns.instant(row, "expires_at");
                keptUntil = keptUntil.filter(until::isBefore).or(() -> Optional.of(until));
            }
            default -> waiters.add(new LockInfo.Waiter(row.getString("owner"), share));
        }
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
            locks.add(new LockInfo(current, holders, keptUntil, waiters));
            holders.clear();
            keptUntil = Optional.empty();
            waiters.clear();
        }
    }
}
