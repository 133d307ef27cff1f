package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** What mutants extend that bring back a lease which is over. */
abstract class RemembersExpired extends MutatedSpace {

    /** The grants that are over, by who had them. */
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
