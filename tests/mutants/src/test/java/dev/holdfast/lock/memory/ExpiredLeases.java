package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import java.util.HashMap;
import java.util.Map;

/** The superclass of mutants that revive an expired lease. */
abstract class ExpiredLeases extends MutatedSpace {

    /** The expired leases by their ids. */
    final Map<AcquisitionId, MemoryLease> expired = new HashMap<>();

    @Override
    void expire(MemoryLease lease, LockRecord lock) {
        super.expire(lease, lock);
        if (lease.isHeld()) {
            expired.put(lease.id(), lease);
        }
    }
}
