package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one lock's waiters as a transaction has read and changed them. Missing rows are read on demand; changes are
 * written at the end.
 */
final class Waiters {

    private static final int MORE = 128;

    private final Source source;

    /** The rows by position: the front of the queue, and others that were read. */
    private final TreeMap<Long, WaiterRow> rows = new TreeMap<>();

    private final Map<AcquisitionId, WaiterRow> byId = new HashMap<>();

    /** The position up to which the queue was read. */
    private long readUpTo;

    private boolean isComplete;
    private final Set<AcquisitionId> lookedFor = new HashSet<>();
    private @Nullable Long last;

    private final Map<AcquisitionId, Changed> changed = new LinkedHashMap<>();
    private final Set<AcquisitionId> removed = new HashSet<>();

    Waiters(Source source) {
        this.source = source;
    }

    /** Reads rows as they were before the transaction changed them. */
    interface Source {
        /** The first waiters after a position, in order. */
        List<WaiterRow> readAfter(long position, int limit) throws SQLException;

        @Nullable
        WaiterRow find(AcquisitionId id) throws SQLException;

        /** The last position in the queue; zero if it is empty. */
        long lastPosition() throws SQLException;
    }

    /** A waiter that has to be written. */
    record Changed(WaiterRow row, String owner) {}

    Map<AcquisitionId, Changed> changed() {
        return changed;
    }

    Set<AcquisitionId> removed() {
        return removed;
    }

    /**
     * Notes the waiters after the position up to which the queue is known; if there are fewer than the limit, the queue ends
     * with them.
     */
    void noteFront(List<WaiterRow> front, int limit) {
        for (WaiterRow row : front) {
            note(row);
            readUpTo = Math.max(readUpTo, row.position());
        }
        isComplete = front.size() < limit;
    }

    void noteFound(WaiterRow row) {
        lookedFor.add(row.id());
        note(row);
    }

    /** Notes that a waiter was looked for: it has no row unless it was noted. */
    void noteLookedFor(AcquisitionId id) {
        lookedFor.add(id);
    }

    void noteLast(long position) {
        last = position;
    }

    private void note(WaiterRow row) {
        if (!removed.contains(row.id()) && !byId.containsKey(row.id())) {
            byId.put(row.id(), row);
            rows.put(row.position(), row);
        }
    }

    /** The first waiter; null if the queue is empty. */
    @Nullable
    WaiterRow first() throws SQLException {
        return firstAfter(0, Long.MIN_VALUE);
    }

    @Nullable
    WaiterRow firstLiving(long now) throws SQLException {
        return firstAfter(0, now);
    }

    /** @param now leaves out the waiters that are dead by then; {@link Long#MIN_VALUE} for none */
    private @Nullable WaiterRow firstAfter(long position, long now) throws SQLException {
        long after = position;
        while (true) {
            Map.Entry<Long, WaiterRow> next = rows.higherEntry(after);
            if (!isComplete && (next == null || next.getKey() > readUpTo)) {
                noteFront(source.readAfter(readUpTo, MORE), MORE);
            } else if (next == null) {
                return null;
            } else if (now != Long.MIN_VALUE && next.getValue().isDead(now)) {
                after = next.getKey();
            } else {
                return next.getValue();
            }
        }
    }

    @Nullable
    WaiterRow find(AcquisitionId id) throws SQLException {
        WaiterRow row = byId.get(id);
        if (row == null && !isComplete && !removed.contains(id) && lookedFor.add(id)) {
            row = source.find(id);
            if (row != null) {
                note(row);
            }
        }
        return row;
    }

    /** The number of living waiters before a position; no more than the limit are counted. */
    int countLivingBefore(long position, long now, int limit) throws SQLException {
        int count = 0;
        WaiterRow next = firstAfter(0, now);
        while (count < limit && next != null && next.position() < position) {
            count++;
            next = firstAfter(next.position(), now);
        }
        return count;
    }

    /** Takes the last position. */
    WaiterRow append(AcquisitionId id, String owner, long now) throws SQLException {
        if (last == null) {
            last = source.lastPosition();
        }
        last = last + 1;
        WaiterRow row = new WaiterRow(id, last, now);
        replace(row, owner);
        return row;
    }

    /** Adds a row, or changes that of the same id. */
    void replace(WaiterRow row, String owner) {
        WaiterRow before = byId.put(row.id(), row);
        if (before != null) {
            rows.remove(before.position());
        }
        rows.put(row.position(), row);
        removed.remove(row.id());
        changed.put(row.id(), new Changed(row, owner));
    }

    /** Removes a row that {@link #find} or {@link #first} returned. */
    void remove(WaiterRow row) {
        byId.remove(row.id());
        rows.remove(row.position());
        changed.remove(row.id());
        removed.add(row.id());
    }

    /** Removes all rows. */
    void clear() throws SQLException {
        for (WaiterRow row = first(); row != null; row = first()) {
            remove(row);
        }
    }
}
