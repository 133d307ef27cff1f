package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** What mutants extend that bring back a lease which is over. */
abstract class RemembersExpired extends MutatedSpace {

    /** The grants that are over, by who had them. */
    final Map<AcquisitionId, Grant> expired = new HashMap<>();

    @Override
    void endLease(NameInUse name, Instant now) {
        Grant grant = name.grant;
        super.endLease(name, now);
        if (grant != null && name.grant == null) {
            expired.put(grant.id(), grant);
        }
    }
}
