package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The shares and the whole queue of one lock, within a transaction that has locked the row of the lock: as they were read, and as
 * commands leave them.
 */
final class SharedLock {

    /** A waiter that asks again within this time is not written again: a write waits for the disk. */
    private static final long REFRESH_AFTER = 1_000_000;

    private final Map<AcquisitionId, ShareRow> storedShares = new HashMap<>();
    private final Map<AcquisitionId, Stored> storedWaiters = new LinkedHashMap<>();

    private final Map<AcquisitionId, ShareRow> shares = new LinkedHashMap<>();
    private final Map<AcquisitionId, Long> positions = new HashMap<>();
    private StoreQueue queue = new StoreQueue();
    private long lastPosition;

    /**
     * A waiter as it is stored.
     *
     * @param dueAt the begin of its claim window; zero if it is not due
     */
    record Stored(long position, StoreQueue.Place place, long dueAt) {

        static Stored read(ResultSet row) throws SQLException {
            return new Stored(
                    row.getLong("position"),
                    new StoreQueue.Place(
                            LockKey.fromColumn(row.getBytes("id")),
                            row.getString("owner"),
                            new Share(row.getInt("permits"), row.getInt("permit_limit")),
                            instant(row.getLong("seen_at"))),
                    row.getLong("due_at"));
        }

        void addTo(Map<String, Object> parameters) {
            parameters.put("position", position);
            parameters.put("owner", place.owner());
            parameters.put("seen_at", micros(place.seen()));
            parameters.put("permits", place.share().permits());
            parameters.put("permit_limit", place.share().limit());
            parameters.put("due_at", dueAt == 0 ? null : dueAt);
        }
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    void noteShare(ShareRow read) {
        storedShares.put(read.id(), read);
    }

    void noteWaiter(Stored read) {
        storedWaiters.put(read.place().id(), read);
    }

    /**
     * Begins with what was read.
     *
     * @param row of the lock; if its state is another one than shared, the stored shares do not count, and all waiters wait for the
     *     exclusive share
     */
    void begin(LockRow row, long now) {
        List<Stored> waiters = new ArrayList<>(storedWaiters.values());
        waiters.sort(Comparator.comparingLong(Stored::position));
        waiters.forEach(each -> lastPosition = each.position());
        List<StoreQueue.ClaimWindow> windows = new ArrayList<>();
        if (row.isShared()) {
            storedShares.values().stream()
                    .sorted(Comparator.comparingLong(ShareRow::token))
                    .forEach(this::put);
            waiters.stream()
                    .filter(each -> each.dueAt() != 0)
                    .forEach(each ->
                            windows.add(new StoreQueue.ClaimWindow(each.place().id(), instant(each.dueAt()))));
        } else if (row.id() == null) {
            waiters.clear(); // of a row that was deleted by hand
        } else if (row.isBusy(now)) {
            put(new ShareRow(
                    row.id(),
                    Share.EXCLUSIVE,
                    row.token(),
                    row.owner(),
                    row.grantedAt(),
                    row.expiresAt(),
                    row.state().equals(LockRow.HELD)));
        } else {
            // A waiter that was dead before the lock became free was never the first of a free lock.
            Instant since = instant(row.reservedSince());
            waiters.removeIf(each -> !each.place().expiry().isAfter(since));
            waiters.stream()
                    .findFirst()
                    .ifPresent(first ->
                            windows.add(new StoreQueue.ClaimWindow(first.place().id(), since)));
        }
        waiters.forEach(each -> positions.put(each.place().id(), each.position()));
        queue = new StoreQueue(waiters.stream().map(Stored::place).toList(), windows);
    }

    /** The queue; {@link #notePlaces} after each change of it. */
    StoreQueue queue() {
        return queue;
    }

    /** Notes which waiters have left the queue, and gives those that have come a position behind all others. */
    void notePlaces() {
        positions.keySet().retainAll(queue.ids());
        for (AcquisitionId id : queue.ids()) {
            positions.computeIfAbsent(id, added -> ++lastPosition);
        }
    }

    @Nullable
    ShareRow share(AcquisitionId id) {
        return shares.get(id);
    }

    void put(ShareRow share) {
        shares.put(share.id(), share);
    }

    void remove(ShareRow share) {
        shares.remove(share.id());
    }

    /** The shares that are out, in the order of their tokens. */
    List<ShareRow> shares() {
        return List.copyOf(shares.values());
    }

    TakenPermits taken() {
        return TakenPermits.of(shares.values().stream().map(ShareRow::share).toList());
    }

    /** The lock's row, with the state that the shares and the queue lead to. */
    LockRow rowOf(LockRow row, long now) {
        boolean isWaitedForExclusively =
                queue.places().stream().allMatch(place -> place.share().isExclusive());
        List<ShareRow> all = shares();
        if (all.isEmpty()) {
            long end = Math.min(row.expiresAt(), now);
            return queue.isEmpty() ? row.released(end, LockRow.FREE) : row.shared(end);
        } else if (isWaitedForExclusively
                && all.size() == 1
                && all.get(0).share().isExclusive()) {
            return row.released(all.get(0).expiresAt(), all.get(0).state());
        }
        long end = all.stream().mapToLong(ShareRow::expiresAt).max().orElseThrow();
        return row.shared(end);
    }

    /** Passes on the changes: the shares of a lock with this row count only if its state is shared. */
    void write(LockRow row, Changes changes) {
        Map<AcquisitionId, ShareRow> kept = row.isShared() ? shares : Map.of();
        kept.forEach((id, share) -> {
            if (!share.equals(storedShares.get(id))) {
                changes.writtenShare().accept(share);
            }
        });
        storedShares.keySet().stream().filter(id -> !kept.containsKey(id)).forEach(changes.deletedShare());

        Map<AcquisitionId, Long> due = new HashMap<>();
        if (row.isShared()) {
            queue.claimWindows().forEach(window -> due.put(window.id(), micros(window.since())));
        }
        for (StoreQueue.Place place : queue.places()) {
            Stored stored = storedWaiters.get(place.id());
            Stored now = new Stored(
                    Objects.requireNonNull(positions.get(place.id())), place, due.getOrDefault(place.id(), 0L));
            if (stored == null
                    || stored.position() != now.position()
                    || stored.dueAt() != now.dueAt()
                    || micros(place.seen()) - micros(stored.place().seen()) > REFRESH_AFTER) {
                changes.writtenWaiter().accept(now);
            }
        }
        storedWaiters.keySet().stream().filter(id -> !positions.containsKey(id)).forEach(changes.deletedWaiter());
    }

    /** Takes the changes. */
    record Changes(
            Consumer<ShareRow> writtenShare,
            Consumer<AcquisitionId> deletedShare,
            Consumer<Stored> writtenWaiter,
            Consumer<AcquisitionId> deletedWaiter) {}
}
