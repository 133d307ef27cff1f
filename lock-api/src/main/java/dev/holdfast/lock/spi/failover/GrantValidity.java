package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.time.DualClockInstant;
import org.jspecify.annotations.Nullable;

/**
 * The end of grants, besides the end of their own time, in a store whose permission to grant lapses unless it is confirmed.
 *
 * <p>Thread-safe; never blocks for long.
 */
public interface GrantValidity {

    /** For a store whose grants depend on nothing else. */
    GrantValidity UNLIMITED = new GrantValidity() {
        @Override
        public DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline) {
            return deadline;
        }

        @Override
        public boolean isSettled(LockName name, AcquisitionId id) {
            return true;
        }
    };

    /**
     * The currently known end of a grant.
     *
     * @param name the lock
     * @param id the acquisition that holds the grant
     * @param deadline the end of its own time
     * @return the deadline, or the end of the store's permission to grant if that is sooner
     */
    DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline);

    /**
     * Why the store's permission to grant has ended for this grant, for people: it follows the words "the store's permission to grant was
     * not confirmed in time".
     *
     * @return null if the permission is not why the grant has ended, as a store has replied that it no longer has it
     */
    default @Nullable String whyUnconfirmed(LockName name, AcquisitionId id) {
        return "";
    }

    /** Whether everything that this grant depends on is stable: only then may it go from one waiter to the next. */
    boolean isSettled(LockName name, AcquisitionId id);
}
