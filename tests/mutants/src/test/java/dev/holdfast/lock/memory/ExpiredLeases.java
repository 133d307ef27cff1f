package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** The superclass of mutants that revive an expired lease. */
abstract class ExpiredLeases extends MutatedSpace {

    /** The expired leases by their ids. */
    final Map<AcquisitionId, MemoryLease> expired = new HashMap<>();

    @Override
    void expireLease(LockRecord lock, Instant now) {
        MemoryLease lease = lock.lease;
        super.expireLease(lock, now);
        if (lease != null && lock.lease == null) {
            expired.put(lease.id(), lease);
        }
    }
}
