package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A lock as the commands of a transaction leave it, one after another; their changes are written at the end. */
final class LockState {

    private final LockKey key;
    private final Waiters waiters;

    /** The expiry of each tombstone that was read. */
    private final Map<AcquisitionId, Long> tombstones = new HashMap<>();

    private final Map<AcquisitionId, Long> newTombstones = new HashMap<>();
    private LockRow row = LockRow.NONE;
    private @Nullable SharedLock shared;
    private boolean exists;
    private boolean isChanged;

    LockState(LockKey key, Waiters.Source source) {
        this.key = key;
        this.waiters = new Waiters(source);
    }

    LockKey key() {
        return key;
    }

    Waiters waiters() {
        return waiters;
    }

    LockRow row() {
        return row;
    }

    /** The shares of the lock, if its state is shared or a command asks for a share; it then has the queue, too. */
    @Nullable
    SharedLock shared() {
        return shared;
    }

    /** Has the commands decided by its shares. */
    void share(SharedLock read) {
        shared = read;
    }

    /** Whether it has a row, which this transaction has locked. */
    boolean exists() {
        return exists;
    }

    /** Whether the row has to be written. */
    boolean isChanged() {
        return isChanged;
    }

    Map<AcquisitionId, Long> newTombstones() {
        return newTombstones;
    }

    /** Notes the row as it was read. */
    void noteRow(LockRow read) {
        row = read;
        exists = true;
    }

    void noteTombstone(AcquisitionId id, long expiresAt) {
        tombstones.put(id, expiresAt);
    }

    /** Whether an id that asks for the lock was given up. */
    boolean hasTombstone(AcquisitionId id, long now) {
        return Math.max(tombstones.getOrDefault(id, 0L), newTombstones.getOrDefault(id, 0L)) > now;
    }

    void addTombstone(AcquisitionId id, long expiresAt) {
        newTombstones.merge(id, expiresAt, Math::max);
    }

    void grant(LockRow granted) {
        row = granted;
        exists = true;
        isChanged = true;
    }

    /** Changes the row; a lock that has none stays without. */
    void change(LockRow changed) {
        if (exists) {
            row = changed;
            isChanged = true;
        }
    }
}
