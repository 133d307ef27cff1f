package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.time.DualClockInstant;

/**
 * Until when grants are valid besides their own time, in a store whose permission to grant ends by itself unless it is confirmed.
 *
 * <p>Thread-safe; never blocks for long.
 */
public interface GrantValidity {

    /** Of a store whose grants depend on nothing else. */
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
     * Until when a grant counts, as far as is known now.
     *
     * @param name the lock
     * @param id whose grant it is
     * @param deadline when its own time is over
     * @return the deadline, or the end of the store's permission to grant if that is sooner
     */
    DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline);

    /** Whether nothing is changing that this grant depends on: only then it may go from one waiter to the next. */
    boolean isSettled(LockName name, AcquisitionId id);
}
