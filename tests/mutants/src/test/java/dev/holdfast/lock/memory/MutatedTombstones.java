package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;

/** Mutants that lose tombstones. */
final class MutatedTombstones {

    private static final int LIMIT = 100;

    private MutatedTombstones() {}

    /** The release of an id whose lease has expired writes no tombstone. */
    static class NotForExpiredIds extends ExpiredLeases {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            return super.release(
                    expired.containsKey(command.id()) ? withTombstone(command, Duration.ZERO) : command, lock, now);
        }
    }

    /** A name has a limited number of tombstones. */
    static class LimitedNumber extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            for (Iterator<AcquisitionId> each = lock.tombstones.keySet().iterator();
                    lock.tombstones.size() > LIMIT && each.hasNext(); ) {
                each.next();
                each.remove();
            }
            return reply;
        }
    }

    /** An expired lease takes the tombstones of its name with it. */
    static class ExpiryDropsThem extends MutatedSpace {
        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            super.expire(lease, lock);
            if (lease.isHeld()) {
                lock.tombstones.clear();
            }
        }
    }

    /** Keeps a tombstone in a column that is too short for long names. */
    static class FailsOnLongNames extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (!command.tombstone().isZero() && command.name().value().length() > 200) {
                throw new IllegalStateException("value too long for column tombstone");
            }
            return super.release(command, lock, now);
        }
    }

    /** The late release of an id whose lease has expired ends the next lease. */
    static class LateReleasesEndTheNextLease extends ExpiredLeases {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (lease(lock) != null && expired.containsKey(command.id())) {
                hold(lock, null);
            }
            return super.release(command, lock, now);
        }
    }
}
